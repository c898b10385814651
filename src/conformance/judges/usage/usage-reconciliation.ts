import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between } from "../../../core/exchange/instant.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { chunkChoices, chunkObjects, deltaOf } from "../stream/stream-chunks.ts";
import {
  growthOf,
  growthOfKind,
  lastEnd,
  leastGrowth,
  mostGrowth,
  targetMs,
  tokensOf,
  type UsageInterval,
  usageIntervals,
} from "./usage-interval.ts";
import { recordedLatenessMs } from "./usage-lateness.ts";
import type { UsageReport } from "./usage-report.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** Clocks of the service that answers and of the one that bills may differ by minutes, and an answer is billed when it ends. */
const edgeToleranceMs = 300_000;
const hourMs = 3_600_000;

/** Usage reports compared with the traffic of this very run. */
export const usageReconciliation: RunJudge = {
  scope: "run",
  id: "usage-reconciliation",
  covers: ["USG-032", "USG-033", "USG-036", "USG-040", "USG-041"],
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const lateMs = manifest.exclusive ? recordedLatenessMs(exchanges, manifest) : null;
    for (const interval of usageIntervals(exchanges, "usage/reconciles")) {
      yield* judgeGrowth(interval, exchanges, lateMs);
      yield* judgeBuckets(interval);
      yield observeFreshness(interval);
    }
    for (const caseId of ["usage/at-once", "core/refusals-at-once", "usage/counts-streams"]) {
      for (const interval of usageIntervals(exchanges, caseId)) yield* judgeGrowth(interval, exchanges, lateMs);
    }
    for (const interval of usageIntervals(exchanges, "usage/covers-the-account")) yield* judgeAccount(interval, exchanges);
    for (const interval of usageIntervals(exchanges, "usage/counts-streams")) yield judgeStream(interval, exchanges);
    for (const interval of usageIntervals(exchanges, "usage/counts-streams-left")) yield judgeLeft(interval);
  },
};

/** Says nothing of its tokens, or used none. */
const saysNothing = (exchange: ExchangeFacts): boolean => tokensOf(exchange) === 0;

function citing({ before, last, traffic }: UsageInterval, after: UsageReport = last): readonly number[] {
  // The report before comes first: how often a case asks afterwards may differ when it is repeated.
  return [before.exchange.seq, after.exchange.seq, ...traffic.slice(0, 3).map(({ seq }) => seq)];
}

/** `lateMs`: how late usage may show; null: others use the account, so that it may grow by anything. */
function* judgeGrowth(interval: UsageInterval, exchanges: readonly ExchangeFacts[], lateMs: number | null): Iterable<Occurrence> {
  const growth = growthOf(interval.before, interval.last);
  const least = leastGrowth(exchanges, interval);
  const most = lateMs === null ? null : mostGrowth(exchanges, interval, lateMs);
  if (least === 0) return;
  const subject = { requirement: "USG-032", exchanges: citing(interval) };
  const isShort = growth < least;
  yield passOrFail(subject, !isShort && (most === null || growth <= most), () => ({
    kind: isShort
      ? "usage grew by fewer tokens than the answers of this run reported"
      : "usage grew by more tokens than the answers of this run reported, although nobody else uses the account",
    expected: isShort ? `at least ${least} tokens more than before` : `at most ${most} tokens more than before`,
    observed: `${growth} more`,
  }));
}

/** Hourly buckets that the traffic cannot have touched stay as they were. */
function* judgeBuckets(interval: UsageInterval): Iterable<Occurrence> {
  const { before, last: after } = interval;
  if (before.query.granularity !== "hour") return;
  const [bucketsBefore, bucketsAfter] = [before.buckets, after.buckets];
  if (bucketsBefore === null || bucketsAfter === null) return;
  if (growthOf(before, after) === 0) return;
  const earlier = new Map(bucketsBefore.map((bucket) => [bucket.start?.unixMs, bucket.totalTokens ?? 0]));
  const from = targetMs(before.exchange) - edgeToleranceMs;
  const to = targetMs(after.exchange) + edgeToleranceMs;
  const subject = { requirement: "USG-040", exchanges: citing(interval) };
  const wrong = bucketsAfter.find(({ start, totalTokens }) => {
    const startMs = start?.unixMs ?? Number.NaN;
    return totalTokens !== (earlier.get(startMs) ?? 0) && (startMs > to || startMs + hourMs <= from);
  });
  yield passOrFail(subject, wrong === undefined, () => ({
    kind: "usage is reported in a bucket of another time than that of the request",
    expected: `growth only in the hours from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`,
    observed: `growth at ${new Date(wrong?.start?.unixMs ?? 0).toISOString()}`,
  }));
}

function observeFreshness(interval: UsageInterval): Occurrence {
  const own = interval.traffic.reduce((sum, exchange) => sum + tokensOf(exchange), 0);
  const complete = interval.afters.find((after) => growthOf(interval.before, after) >= own);
  const ended = lastEnd(interval.traffic);
  const lagMs = complete === undefined ? null : between(ended, momentsOf(complete.exchange).sent).mostMs;
  return {
    requirement: "USG-036",
    outcome: "observed",
    exchanges: citing(interval, complete),
    message: "time until usage shows in a report",
    answer: lagMs === null ? "not within the time that the case waits" : complete === interval.first ? "at once" : "not at once",
    observed: lagMs === null ? "not complete" : `complete after ${Math.round(lagMs)} ms at most`,
  };
}

function* judgeAccount(interval: UsageInterval, exchanges: readonly ExchangeFacts[]): Iterable<Occurrence> {
  if (interval.traffic.every(saysNothing)) return;
  const least = leastGrowth(exchanges, interval);
  const growth = growthOf(interval.before, interval.last);
  const subject = { requirement: "USG-033", exchanges: citing(interval) };
  yield passOrFail(subject, growth >= least, () => ({
    kind: "tokens that another key of the account used do not show in the report",
    expected: `at least ${least} tokens more than before`,
    observed: `${growth} more`,
  }));
}

function judgeStream(interval: UsageInterval, exchanges: readonly ExchangeFacts[]): Occurrence {
  // A stream that reports nothing has used something nevertheless: it had a prompt.
  const least = leastGrowth(exchanges, interval) + (interval.traffic.every(saysNothing) ? 1 : 0);
  const growth = growthOf(interval.before, interval.last);
  const subject = { requirement: "USG-041", exchanges: citing(interval) };
  if (interval.traffic.some(({ response }) => response?.stream == null)) {
    return { ...subject, outcome: "inconclusive", message: "the request was not answered with a stream" };
  }
  const missing = findMissingKind(interval);
  if (growth >= least && missing !== null) {
    return {
      ...subject,
      outcome: "fail",
      kind: `the ${missing} of a streamed answer does not show in the usage`,
      expected: `more ${missing}_tokens than before`,
      observed: `${growth} tokens more, none of them of a ${missing}`,
    };
  }
  return passOrFail(subject, growth >= least, () => ({
    kind: "a streamed answer does not show in the usage",
    expected: `at least ${least} tokens more than before`,
    observed: `${growth} more`,
  }));
}

/** A client that left had a prompt, and was given tokens: charged whole or as far as delivered, it shows. */
function judgeLeft(interval: UsageInterval): Occurrence {
  const growth = growthOf(interval.before, interval.last);
  const subject = { requirement: "USG-041", exchanges: citing(interval) };
  if (!interval.traffic.some(({ response }) => (response?.stream?.events.length ?? 0) > 0)) {
    return { ...subject, outcome: "inconclusive", message: "no event of the stream came before its client left" };
  }
  return passOrFail(subject, growth > 0, () => ({
    kind: "a stream that its client left does not show in the usage",
    expected: "tokens of its prompt and of what was delivered",
    observed: `${growth} more`,
  }));
}

/** Every request has a prompt, and text that was delivered is a completion; null: both show, or the buckets do not say. */
function findMissingKind({ before, last, traffic }: UsageInterval): "prompt" | "completion" | null {
  if (growthOfKind(before, last, "promptTokens") === 0) return "prompt";
  return traffic.some(deliversText) && growthOfKind(before, last, "completionTokens") === 0 ? "completion" : null;
}

/** Text that a client was given is a completion, whatever a stream says of its tokens. */
function deliversText(exchange: ExchangeFacts): boolean {
  const deltas = chunkObjects(exchange).flatMap(chunkChoices).map(deltaOf);
  return deltas.some((delta) => typeof delta?.["content"] === "string" && delta["content"].trim() !== "");
}
