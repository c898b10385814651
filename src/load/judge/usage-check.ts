import type { Clock } from "../../core/clock.ts";
import { endpoints } from "../../core/exchange/endpoint.ts";
import type { UsageCheck } from "../../core/result/second-account.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { Sender } from "../../core/exchange/send-request.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { readsUsage } from "../profile/reads-usage.ts";
import type { ShareResult } from "../ledger/share-result.ts";
import { hasLeft } from "../samples/describe-leaving.ts";
import { answeredTokens } from "../samples/count-totals.ts";

export interface UsageWatch {
  /** Reads the report again, twice where it may lag behind what the answers say: growth of the total, null where it cannot be read. */
  close(ours: number | null): Promise<number | null>;
}

/** How far back the window begins; the same instant serves both readings, so what was there before cancels out. */
const windowMs = 3_600_000;
/** Usage may be reported a moment after the answer. */
const settleMs = 1000;

/**
 * Reads the usage report before a profile so that its growth can be reported afterwards. Null when nothing of the workload reports
 * tokens, or when the target has no report to read: that is for the conformance suite to say.
 */
export async function openUsageWatch(sender: Sender, profile: LoadProfile, clock: Clock): Promise<UsageWatch | null> {
  // The report may count the tokens of a probe, which no answer of the load has.
  if (!readsUsage(profile) || profile.probe !== undefined) return null;
  const fromUnixMs = clock.wallMs() - windowMs;
  let skewMs = 0;
  const read = async (): Promise<number | null> => {
    const query = new URLSearchParams({
      from: new Date(fromUnixMs).toISOString(),
      // Rounded up by a second: the Date field that the skew comes from has whole seconds.
      to: new Date(clock.wallMs() + skewMs + 1000).toISOString(),
      granularity: "hour",
    });
    const exchange = await sender.send({
      stage: "load",
      caseId: `load/${profile.id}`,
      label: "usage report",
      intent: { kind: "housekeeping", purpose: "usage before and after the profile" },
      endpoint: "usage",
      method: endpoints.usage.method,
      path: `${endpoints.usage.path}?${query.toString()}`,
      credential: { kind: "bearer", key: profile.key },
    });
    const { dateMs, timing, status, responseObject } = factsOf(exchange);
    // A target whose clock is ahead reports usage in our future.
    if (dateMs !== null) skewMs = Math.max(0, dateMs - timing.wallMs);
    return status === 200 ? totalTokens(responseObject?.["aggregate"]) : null;
  };
  const before = await read();
  if (before === null) return null;
  return {
    async close(ours) {
      let after = await read();
      if (ours !== null && after !== null && after - before < ours) {
        await clock.sleep(settleMs);
        after = await read();
      }
      return after === null ? null : after - before;
    },
  };
}

/** Sets two sums beside each other. `left`: clients that went before their answer had stated its usage. */
export function compareUsage(ours: number | null, reported: number | null, left = 0): UsageCheck {
  const report = (outcome: UsageCheck["outcome"], message: string): UsageCheck => ({ ours, reported, outcome, message });
  if (ours === null) return report("not-comparable", "an answer reported no usage, so the sum over the answers is not known");
  if (reported === null) return report("not-comparable", "the usage report could not be read after the profile");
  if (left > 0 && reported >= ours) {
    const tokens = reported - ours;
    const whose = left === 1 ? "the client that left" : `the ${left} clients that left`;
    return {
      ...report(
        "not-comparable",
        `${ours} tokens by answers that were read to their end; ${tokens} more are the charge of ${whose}`,
      ),
      left: { clients: left, tokens },
    };
  }
  if (ours === reported) return report("agrees", `${ours} tokens on both sides`);
  if (reported < ours)
    return report("reported-less", `the answers reported ${ours} tokens, the usage report grew by only ${reported}`);
  return report(
    "reported-more",
    `the usage report grew by ${reported} tokens, the answers reported ${ours}: other traffic, or tokens that no answer reported`,
  );
}

/** Tokens of all answers; null where one of them did not say. */
export function sumTokens(shares: readonly Pick<ShareResult, "records" | "overflow">[]): number | null {
  let sum = 0;
  for (const { records, overflow } of shares) {
    if (overflow?.usedTokens === null) return null;
    sum += overflow?.usedTokens ?? 0;
    for (const record of records) {
      const tokens = answeredTokens(record);
      if (tokens === null) return null;
      sum += tokens;
    }
  }
  return sum;
}

/** Clients that went before their answer had stated its usage, the warm-up included. */
export function countLeft(shares: readonly Pick<ShareResult, "records" | "overflow">[]): number {
  return shares.reduce((sum, { records, overflow }) => {
    const beside = [...(overflow?.totals.values() ?? [])].reduce((count, { outcomes }) => count + (outcomes.left ?? 0), 0);
    return sum + beside + records.filter(hasLeft).length;
  }, 0);
}

function totalTokens(aggregate: unknown): number | null {
  const total = isJsonObject(aggregate) ? aggregate["total_tokens"] : null;
  return typeof total === "number" && Number.isFinite(total) ? total : null;
}
