import { accountKeys } from "../../judging/account-keys.ts";
import { endpoints } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { Instant } from "../../../core/exchange/instant.ts";
import { isOverBefore, momentsOf } from "../../../core/exchange/moments.ts";
import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";
import { readUsageReport, type UsageReport } from "./usage-report.ts";

/** Labels of the cases that look at usage before and after some traffic. */
export const usageLabels: { readonly before: string; readonly after: LabelSeries } = {
  before: "before",
  after: labelSeries("after"),
};

/** Two reports of the same window with the traffic of the run between them. */
export interface UsageInterval {
  readonly before: UsageReport;
  /** In order; a case asks again while usage is not yet complete. */
  readonly afters: readonly UsageReport[];
  /** The first and the last of `afters`. */
  readonly first: UsageReport;
  readonly last: UsageReport;
  /** Requests of the case itself between the first report and the next. */
  readonly traffic: readonly ExchangeFacts[];
}

export function usageIntervals(exchanges: readonly ExchangeFacts[], caseId: string): readonly UsageInterval[] {
  const own = exchanges.filter((exchange) => exchange.caseId === caseId);
  const starts = totalsOf(own.filter(({ label }) => label === usageLabels.before));
  return starts.flatMap((before, index) => {
    const until = starts[index + 1]?.exchange.seq ?? Number.POSITIVE_INFINITY;
    const rest = own.filter(({ seq }) => seq > before.exchange.seq && seq < until);
    const afters = totalsOf(rest.filter(usageLabels.after.has));
    const last = afters.at(-1);
    if (last === undefined) return [];
    // A repetition begins with requests of its own, before its first report: they are no traffic of this try.
    const traffic = rest.filter(({ endpoint, seq }) => endpoint !== "usage" && seq < last.exchange.seq);
    return traffic.length === 0 ? [] : [{ before, afters, first: afters[0] ?? last, last, traffic }];
  });
}

/** Those reports that show a total. */
function totalsOf(exchanges: readonly ExchangeFacts[]): readonly UsageReport[] {
  return exchanges.map(readUsageReport).filter((report) => report?.totalTokens != null) as readonly UsageReport[];
}

/** Growth of the reported tokens from the first to one of the later reports. */
export function growthOf(before: UsageReport, after: UsageReport): number {
  return (after.totalTokens ?? 0) - (before.totalTokens ?? 0);
}

/** The same of prompt or completion tokens, over all buckets; null where a bucket does not say. */
export function growthOfKind(before: UsageReport, after: UsageReport, kind: TokenKind): number | null {
  const [then, now] = [tokensIn(before, kind), tokensIn(after, kind)];
  return then === null || now === null ? null : now - then;
}

type TokenKind = "promptTokens" | "completionTokens";

function tokensIn({ buckets }: UsageReport, kind: TokenKind): number | null {
  const counts = (buckets ?? [null]).map((bucket) => bucket?.[kind] ?? null);
  return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}

/**
 * The least growth that the answers of the run itself account for: tokens of successes that began after the first report had
 * come and had ended when the first of the later ones was asked for. Traffic of others and answers without usage only add.
 */
export function leastGrowth(exchanges: readonly ExchangeFacts[], { before, first }: UsageInterval): number {
  return exchanges
    .filter((one) => isOverBefore(before.exchange, one) && isOverBefore(one, first.exchange) && accountKeys.has(one.keyName))
    .reduce((sum, exchange) => sum + tokensOf(exchange), 0);
}

/**
 * The most growth that this run can have caused by the last report; null where a request that may be billed does not say
 * its tokens. Only meaningful on exclusive keys. `lateMs`: what was used so long before the first report may not yet be in it.
 */
export function mostGrowth(
  exchanges: readonly ExchangeFacts[],
  { before, last }: Pick<UsageInterval, "before" | "last">,
  lateMs: number,
): number | null {
  const [fromMs, toMs] = [momentsOf(before.exchange).sent.earliestMs - lateMs, momentsOf(last.exchange).ended.latestMs];
  const overlapping = exchanges.filter((one) => {
    const { sent, ended } = momentsOf(one);
    return sent.earliestMs <= toMs && ended.latestMs >= fromMs;
  });
  let sum = 0;
  for (const exchange of overlapping) {
    if (!mayBeBilled(exchange)) continue;
    const tokens = tokensOf(exchange);
    if (tokens === 0) return null;
    sum += tokens;
  }
  return sum;
}

/** The end of those requests that ended last. */
export function lastEnd(traffic: readonly ExchangeFacts[]): Instant {
  const ends = traffic.map((exchange) => momentsOf(exchange).ended);
  return {
    earliestMs: Math.max(...ends.map(({ earliestMs }) => earliestMs)),
    latestMs: Math.max(...ends.map(({ latestMs }) => latestMs)),
  };
}

/** Tokens that a success reports for itself; 0 when it reports none. */
export function tokensOf(exchange: ExchangeFacts): number {
  return exchange.isSuccess ? (exchange.usage?.totalTokens ?? 0) : 0;
}

/** Instant on the clock of the target, Unix milliseconds, with the half second that a Date field may be off. */
export function targetMs(exchange: ExchangeFacts): number {
  return exchange.targetNowSeconds * 1000;
}

function mayBeBilled({ endpoint, response, keyName }: ExchangeFacts): boolean {
  return endpoint !== null && endpoints[endpoint].billable && keyName !== null && (response === null || response.status < 400);
}
