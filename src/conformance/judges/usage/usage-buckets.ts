import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { showValue } from "../../judging/json-value.ts";
import {
  type Granularity,
  granularityOf,
  isBucketEdge,
  nextBucketMs,
  readUsageReport,
  startsOf,
  type UsageBucket,
  type UsageQuery,
  type UsageReport,
  type UsageWindow,
  windowOf,
} from "./usage-report.ts";

const glanced = createGlancedLists(["USG-018", "USG-017", "USG-019", "USG-034", "USG-035", "USG-037"]);

/** Where buckets begin: notation, alignment, no repetition, within the window. */
export const usageBuckets: ExchangeJudge = {
  scope: "exchange",
  id: "usage-buckets",
  covers: ["USG-016", "USG-017", "USG-018", "USG-019", "USG-034", "USG-035", "USG-037"],
  conclusive: true,
  concerns: ({ endpoint, status }) => endpoint === "usage" && status < 300,
  glance(exchange) {
    const report = readUsageReport(exchange);
    if (report?.buckets == null || report.buckets.length === 0) return nothingGlanced;
    const { buckets, query } = report;
    const granularity = query.granularity === null ? null : granularityOf(query);
    const window = windowOf(query);
    let last = Number.NEGATIVE_INFINITY;
    let isAnyEmpty = false;
    // Rising, as nearly all services list them: then none begins where another does.
    for (let index = 0; index < buckets.length; index += 1) {
      const bucket = buckets[index] as UsageBucket;
      const start = bucket.start?.unixMs ?? Number.NaN;
      if (!(start > last)) return null;
      last = start;
      if (granularity === null) continue;
      if (!isBucketEdge(start, granularity)) return null;
      if (window !== null && (nextBucketMs(start, granularity) <= window.fromMs || start >= window.toMs)) return null;
      isAnyEmpty ||= bucket.totalTokens === 0 && bucket.costUsd === 0;
    }
    if (granularity === null) return glanced(0b1);
    const isTold = isAnyEmpty || (window !== null && leavesOut(window, [buckets[0]?.start?.unixMs ?? last, last], granularity));
    return glanced(
      0b11 |
        (window === null ? 0 : 0b100) |
        (isTold ? 0b1000 : 0) |
        (buckets.length > 1 ? 0b10000 : 0) |
        (granularity === "hour" ? 0 : 0b100000),
    );
  },
  *judge(exchange): Iterable<Occurrence> {
    const report = readUsageReport(exchange);
    if (report?.buckets == null || report.buckets.length === 0) return;
    const exchanges = [exchange.seq];
    const wrong = report.buckets.find(({ timestamp, start }) => typeof timestamp === "string" && start === null);
    if (wrong !== undefined) {
      yield {
        requirement: "USG-016",
        outcome: "fail",
        exchanges,
        message: "the timestamp of a bucket is not written as ISO 8601",
        expected: "for example 2026-01-31T00:00:00Z",
        observed: showValue(wrong.timestamp),
      };
    }
    const starts = startsOf(report.buckets);
    if (starts === null) return;
    yield judgeRepetition(report, starts);
    // What an omitted granularity means is a question of its own (USG-011).
    const granularity = report.query.granularity === null ? null : granularityOf(report.query);
    if (granularity === null) return;
    yield* judgeAlignment(report, starts, granularity);
    yield* judgeWindow(report, starts, granularity);
    yield* observeEmpty(report, report.buckets, starts, granularity);
    yield* observeOrder(report, starts);
    if (granularity !== "hour") yield observeZone(report, starts, granularity);
  },
};

function* judgeAlignment(
  { exchange, query }: UsageReport,
  starts: readonly number[],
  granularity: Granularity,
): Iterable<Occurrence> {
  const subject = {
    requirement: "USG-017",
    exchanges: [exchange.seq],
    expected: `timestamps where a ${granularity} begins, in UTC`,
  };
  const whole = wholeBuckets(starts, query, granularity);
  // The cut bucket alone shows nothing: one that is cut anew for every window would look the same.
  if (whole.length === 0) return;
  const wrong = whole.find((start) => !isBucketEdge(start, granularity));
  if (wrong === undefined) {
    yield { ...subject, outcome: "pass" };
    return;
  }
  const offset = commonOffsetMinutes(whole, granularity);
  const observed = new Date(wrong).toISOString();
  yield offset === null
    ? { ...subject, outcome: "fail", message: `a bucket does not begin where a ${granularity} begins`, observed }
    : {
        ...subject,
        outcome: "advisory",
        message: `the buckets begin where a ${granularity} begins at a constant offset of ${offset} minutes from UTC`,
        observed,
      };
}

/** Without the bucket that the window cuts: where only its rest is reported, that rest begins with the window. */
function wholeBuckets(starts: readonly number[], { fromMs }: UsageQuery, granularity: Granularity): readonly number[] {
  return fromMs === null || isBucketEdge(fromMs, granularity) ? starts : starts.filter((start) => start !== fromMs);
}

/** Offset of time zones in use, in steps of a quarter of an hour, under which all starts are aligned. */
function commonOffsetMinutes(starts: readonly number[], granularity: Granularity): number | null {
  for (let minutes = -12 * 60; minutes <= 14 * 60; minutes += 15) {
    if (starts.every((start) => isBucketEdge(start + minutes * 60_000, granularity))) return minutes;
  }
  return null;
}

function judgeRepetition({ exchange }: UsageReport, starts: readonly number[]): Occurrence {
  const subject = { requirement: "USG-018", exchanges: [exchange.seq] };
  const repeated = starts.find((start, index) => starts.indexOf(start) !== index);
  if (repeated === undefined) return { ...subject, outcome: "pass" };
  return {
    ...subject,
    outcome: "fail",
    message: "two buckets begin at the same time",
    expected: "one item for each bucket",
    observed: `${new Date(repeated).toISOString()} twice`,
  };
}

function* judgeWindow(report: UsageReport, starts: readonly number[], granularity: Granularity): Iterable<Occurrence> {
  const window = windowOf(report.query);
  if (window === null) return;
  const { fromMs, toMs } = window;
  const subject = { requirement: "USG-019", exchanges: [report.exchange.seq] };
  const outside = starts.find((start) => nextBucketMs(start, granularity) <= fromMs || start >= toMs);
  yield outside === undefined
    ? { ...subject, outcome: "pass" }
    : {
        ...subject,
        outcome: "fail",
        message: "a bucket lies outside the requested window",
        expected: `buckets that overlap ${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}`,
        observed: `a bucket at ${new Date(outside).toISOString()}`,
      };
}

function* observeEmpty(
  { exchange, query }: UsageReport,
  buckets: readonly UsageBucket[],
  starts: readonly number[],
  granularity: Granularity,
): Iterable<Occurrence> {
  const subject = { requirement: "USG-034", exchanges: [exchange.seq], message: "buckets without usage" };
  const window = windowOf(query);
  const hasEmpty = buckets.some(({ totalTokens, costUsd }) => totalTokens === 0 && costUsd === 0);
  if (hasEmpty) yield { ...subject, outcome: "observed", answer: "they are listed" };
  else if (window !== null && leavesOut(window, starts, granularity))
    yield { ...subject, outcome: "observed", answer: "they are left out" };
}

/** Whether the window begins before the first bucket or ends after the last. */
function leavesOut({ fromMs, toMs }: UsageWindow, starts: readonly number[], granularity: Granularity): boolean {
  return Math.min(...starts) > fromMs || nextBucketMs(Math.max(...starts), granularity) < toMs;
}

function* observeOrder({ exchange }: UsageReport, starts: readonly number[]): Iterable<Occurrence> {
  const steps = starts.slice(1).map((start, index) => start - (starts[index] ?? start));
  if (steps.length === 0) return;
  const rises = steps.every((step) => step > 0);
  const falls = steps.every((step) => step < 0);
  yield {
    requirement: "USG-035",
    outcome: "observed",
    exchanges: [exchange.seq],
    message: "order of the buckets",
    answer: rises ? "ascending" : falls ? "descending" : "neither ascending nor descending",
  };
}

function observeZone({ exchange, query }: UsageReport, starts: readonly number[], granularity: Granularity): Occurrence {
  const offset = commonOffsetMinutes(wholeBuckets(starts, query, granularity), granularity);
  return {
    requirement: "USG-037",
    outcome: "observed",
    exchanges: [exchange.seq],
    message: "time zone of days and months",
    answer: offset === null ? "no time zone" : offset === 0 ? "UTC" : `${offset} minutes from UTC`,
  };
}
