import type { NotSentReason, OutcomeClass } from "../../core/result/load-outcome.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { joinedOutcome } from "./joined-outcome.ts";
import type { LoadRecord } from "./load-record.ts";

/** Sums over records; attempts after the first count as outcomes, not as further requests. */
export interface Totals {
  /** All attempts, sent or not. */
  records: number;
  readonly outcomes: Partial<Record<OutcomeClass, number>>;
  readonly notSent: Partial<Record<NotSentReason, number>>;
  /** Logical requests that were offered, sent or not. */
  attempted: number;
  good: number;
  /** Those of which nobody knows whether they are good. */
  maybeGood: number;
  outputTokens: number | null;
  errors: number;
  /** Errors that speak of the target whatever the generator did. */
  certainErrors: number;
  /** Answers with status 429. */
  rejects: number;
  retries: number;
}

export function noTotals(): Totals {
  const sums = { records: 0, attempted: 0, good: 0, maybeGood: 0, errors: 0, certainErrors: 0, rejects: 0, retries: 0 };
  return { ...sums, outcomes: {}, notSent: {}, outputTokens: null };
}

export function countTotals(records: readonly LoadRecord[]): Totals {
  const totals = noTotals();
  for (const record of records) addRecord(totals, record);
  return totals;
}

export function addRecord(into: Totals, record: LoadRecord): void {
  const { outcome, notSent } = record;
  into.records += 1;
  into.outcomes[outcome] = (into.outcomes[outcome] ?? 0) + 1;
  if (notSent !== null) into.notSent[notSent] = (into.notSent[notSent] ?? 0) + 1;
  if (record.attempt === 1) into.attempted += 1;
  else into.retries += 1;
  if (record.good) into.good += 1;
  if (record.maybeGood) into.maybeGood += 1;
  if (isError(record)) {
    into.errors += 1;
    // A blocked loop invents timeouts, and sends that were held up leave together and may overload (503).
    if (outcome !== "transport-error" && record.status !== 503) into.certainErrors += 1;
  }
  if (record.status === 429) into.rejects += 1;
  const tokens = deliveredTokens(record);
  if (tokens !== null) into.outputTokens = (into.outputTokens ?? 0) + tokens;
}

export function addTotals(into: Totals, other: Totals): void {
  for (const sum of sums) into[sum] += other[sum];
  if (other.outputTokens !== null) into.outputTokens = (into.outputTokens ?? 0) + other.outputTokens;
  addCounts(into.outcomes, other.outcomes);
  addCounts(into.notSent, other.notSent);
}

const sums = ["records", "attempted", "good", "maybeGood", "errors", "certainErrors", "rejects", "retries"] as const;

function addCounts<Name extends string>(into: Partial<Record<Name, number>>, other: Partial<Record<Name, number>>): void {
  for (const [name, count] of Object.entries(other) as [Name, number][]) into[name] = (into[name] ?? 0) + count;
}

/** By the length of the window that `perSecond` divides by. */
export function ratesOf(
  totals: Totals,
  perSecond: (count: number) => number,
): LoadProfileResult["rates"] & { readonly goodput: number } {
  return {
    offered: perSecond(totals.attempted),
    achieved: perSecond(totals.attempted - (totals.outcomes["not-sent"] ?? 0)),
    ok: perSecond(totals.outcomes.ok ?? 0),
    outputTokens: totals.outputTokens === null ? null : perSecond(totals.outputTokens),
    goodput: perSecond(totals.good),
  };
}

/** Errors as gates count them: everything that is neither an answer nor a lawful reject. */
export function isError(record: Pick<LoadRecord, "outcome">): boolean {
  switch (record.outcome) {
    case "client-error":
    case "server-error":
    case "transport-error":
      return true;
    case "ok":
    case "rate-limited":
    case "burst-limited":
    case "spend-capped":
    case "interrupted":
    case "timed-out":
    case "left":
    case "not-sent":
      return false;
    default:
      return record.outcome satisfies never;
  }
}

/** Output tokens that arrived: those that had come when we gave a stream up, or its client left, did come. Null where there are none, or no answer. */
export function deliveredTokens({
  outcome,
  outputTokens,
  hiddenTokens,
}: Pick<LoadRecord, "outcome" | "outputTokens" | "hiddenTokens">): number | null {
  if (outputTokens === null || (outcome !== "left" && joinedOutcome(outcome) !== "ok")) return null;
  return outputTokens - (hiddenTokens ?? 0);
}

/** The tokens that an answer adds to those that a usage report should show; null if nobody knows. A client that went saw none. */
export function answeredTokens({
  endpoint,
  outcome,
  status,
  stream,
  promptTokens,
  outputTokens,
  tokensEstimated,
}: LoadRecord): number | null {
  if (endpoint !== "chat" && endpoint !== "embeddings") return 0;
  // A stream that broke, or a 200 that reports a failure, may have been billed, and nothing showed how much.
  const isDoubtful = outcome === "server-error" && (stream !== null || (status ?? 500) < 300);
  if (outcome === "transport-error" || outcome === "interrupted" || outcome === "timed-out" || isDoubtful) return null;
  if (outcome === "left" ? stream?.finished !== true : outcome !== "ok") return 0;
  return promptTokens === null || tokensEstimated ? null : promptTokens + (outputTokens ?? 0);
}
