import { latenessMs, usageSettleMs } from "../../src/conformance/judges/usage/usage-lateness.ts";
import { tokensOf, usageLabels } from "../../src/conformance/judges/usage/usage-interval.ts";
import { readUsageReport, type UsageReport } from "../../src/conformance/judges/usage/usage-report.ts";
import type { LabelSeries } from "../../src/conformance/judging/label-series.ts";
import type { CaseRequest, CaseTools, Need } from "../../src/conformance/plan/case.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { chatRequest } from "./chat-request.ts";
import type { Members } from "./members.ts";

export const minuteMs = 60_000;
export const hourMs: number = 60 * minuteMs;
export const dayMs: number = 24 * hourMs;
export const usageResource = "usage";
export const chatNeed: Need = { kind: "model", use: "chat" };

export interface UsageWindow {
  readonly from: string;
  readonly to: string;
  readonly granularity?: string;
}

export function usagePath(query: Readonly<Record<string, string>>): string {
  return `/v1/usage?${new URLSearchParams(query).toString()}`;
}

interface ReportOptions {
  readonly intent?: Intent;
  readonly key?: string;
}

export async function report(
  tools: CaseTools,
  label: string,
  { from, to, granularity }: UsageWindow,
  { intent, key = "primary" }: ReportOptions = {},
): Promise<ExchangeFacts> {
  const path = usagePath({ from, to, ...(granularity === undefined ? {} : { granularity }) });
  return tools.send({ endpoint: "usage", label, path, intent, credential: { kind: "bearer", key } });
}

/** In UTC without a fraction: `2026-01-31T00:00:00Z`. */
export function utc(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(0, 19)}Z`;
}

/** The same instant as read from a clock two hours ahead of UTC. */
export function twoHoursAhead(unixMs: number): string {
  return `${new Date(unixMs + 2 * hourMs).toISOString().slice(0, 19)}+02:00`;
}

export function floorTo(unixMs: number, stepMs: number): number {
  return Math.floor(unixMs / stepMs) * stepMs;
}

/** Whole hours around an instant: some before, and that of the instant with the next. */
export function hoursAround(unixMs: number, before: number): UsageWindow {
  const hour = floorTo(unixMs, hourMs);
  return { from: utc(hour - before * hourMs), to: utc(hour + 2 * hourMs), granularity: "hour" };
}

/** Now on the clock of the target, Unix milliseconds. */
export async function askTime(tools: CaseTools): Promise<number> {
  return (await tools.send({ endpoint: "models", label: "clock" })).targetNowSeconds * 1000;
}

/** The longest delay of billing that a report must not miss. */
export const lateBillMs = 2000;

/** Lets appear what was used before: a report that was late once may be later the next time. No time where none was. */
export async function untilNothingIsLate(tools: CaseTools, atLeastMs = 0): Promise<void> {
  const pauseMs = Math.max(atLeastMs, latenessMs(tools.manifest, tools.seenAfterMs()));
  if (pauseMs > 0) await tools.sleep(pauseMs);
}

interface Awaited {
  readonly window: UsageWindow;
  /** Tokens of the last report before; null: it showed none. */
  readonly before: number | null;
  readonly labels: LabelSeries;
  /** A further demand on a report; absent: none. */
  readonly isWhole?: (report: UsageReport) => boolean;
}

/** Asks for reports until the tokens of these answers show or the settling time is over; the tokens of the last one. */
export async function untilShown(
  tools: CaseTools,
  sent: readonly ExchangeFacts[],
  { window, before, labels, isWhole = () => true }: Awaited,
): Promise<number | null> {
  // A success that says nothing of its tokens has used some.
  const wanted = Math.max(
    1,
    sent.reduce((sum, exchange) => sum + tokensOf(exchange), 0),
  );
  const isUsed = sent.some(
    ({ isSuccess, response, failure }) => isSuccess || (failure?.kind === "aborted" && response?.status === 200),
  );
  let tokens: number | null = null;
  await tools.lookUntil(usageSettleMs(tools.manifest), async (round) => {
    const shown = readUsageReport(await report(tools, labels.label(round), window));
    tokens = shown?.totalTokens ?? null;
    // A report that fails may succeed later; one without a total has no place where usage could show.
    if (before === null || !isUsed || (shown !== null && tokens === null)) return "never";
    const growth = (tokens ?? before) - before;
    return growth >= wanted && shown !== null && isWhole(shown) ? "all" : growth > 0 ? "some" : "none";
  });
  return tokens;
}

/** Reads the report until two in a row say the same: what was used before may still be on its way. */
export async function untilStill(tools: CaseTools, window: UsageWindow): Promise<void> {
  await untilNothingIsLate(tools);
  let last: number | null = null;
  for (let round = 1; round <= 6; round += 1) {
    const tokens = readUsageReport(await report(tools, `still-${round}`, window))?.totalTokens ?? null;
    if (tokens === last) return;
    last = tokens;
    await tools.sleep(2000);
  }
}

interface ChatOptions {
  readonly key?: string;
  readonly stream?: boolean;
}

export async function chat(tools: CaseTools, label: string, more: ChatOptions = {}): Promise<ExchangeFacts> {
  return tools.send(chatAbout(tools, label, more));
}

export function chatAbout({ manifest }: CaseTools, label: string, { key = "primary", stream }: ChatOptions = {}): CaseRequest {
  // Longer than its answer can be, so that neither count of tokens can be taken for the other.
  const content = `Name one colour that is seen in the sky in the evening, at sea in winter, and in no flag of this world. (${label})`;
  const messages = [{ role: "user", content }];
  const request = chatRequest(manifest, label, { messages, max_tokens: 12, ...(stream === true ? streamMembers(manifest) : {}) });
  return { ...request, credential: { kind: "bearer", key } };
}

/** A stream that states its usage, where the manifest says that it can: what it is billed can be held against that. */
function streamMembers({ features }: Manifest): Members {
  return { stream: true, ...(features["streamUsage"] === true ? { stream_options: { include_usage: true } } : {}) };
}

/** Reports before and after some traffic; asks again until its tokens show, and what else has to, or the settling time is over. */
export async function around(
  tools: CaseTools,
  traffic: () => Promise<readonly ExchangeFacts[]>,
  shows: (before: UsageReport, after: UsageReport) => boolean = () => true,
): Promise<void> {
  const window = hoursAround(await askTime(tools), 2);
  await untilNothingIsLate(tools);
  const before = readUsageReport(await report(tools, usageLabels.before, window));
  const sent = await traffic();
  const isWhole = (after: UsageReport): boolean => before === null || shows(before, after);
  await untilShown(tools, sent, { window, before: before?.totalTokens ?? null, labels: usageLabels.after, isWhole });
}
