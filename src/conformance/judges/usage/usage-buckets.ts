import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { showValue } from "../../judging/json-value.ts";
import { withoutNumbers } from "../../judging/wrong-words.ts";
import {
  type Granularity,
  granularityOf,
  isBucketEdge,
  nextBucketMs,
  readUsageReport,
  startsOf,
  type UsageBucket,
  type UsageWindow,
  windowOf,
} from "./usage-report.ts";

/** The begins of buckets: notation, alignment, no repetition, within the window. */
export const usageBuckets: ExchangeJudge = {
  scope: "exchange",
  id: "usage-buckets",
  covers: ["USG-016", "USG-017", "USG-018", "USG-019", "USG-034", "USG-035", "USG-037"],
  conclusive: true,
  concerns: ({ endpoint, status }) => endpoint === "usage" && status < 300,
  judge(exchange, outcomes) {
    const report = readUsageReport(exchange);
    const buckets = report?.buckets ?? [];
    if (report === null || buckets.length === 0) return;
    const wrong = buckets.find(({ timestamp, start }) => typeof timestamp === "string" && start === null);
    if (wrong !== undefined) {
      outcomes.fail("USG-016", {
        kind: "the timestamp of a bucket is not written as ISO 0",
        message: "the timestamp of a bucket is not written as ISO 8601",
        expected: "for example 2026-01-31T00:00:00Z",
        observed: showValue(wrong.timestamp),
      });
    }
    const starts = startsOf(buckets);
    if (starts === null) return;
    judgeRepetition(starts, outcomes);
    // The meaning of an omitted granularity is a question of its own (USG-011).
    const granularity = report.query.granularity === null ? null : granularityOf(report.query);
    if (granularity === null) return;
    const window = windowOf(report.query);
    const { fromMs } = report.query;
    // Without the bucket that the window cuts: where only its rest is reported, that rest begins with the window.
    const whole = fromMs === null || isBucketEdge(fromMs, granularity) ? starts : starts.filter((start) => start !== fromMs);
    const offsets = offsetsMinutes(whole, granularity);
    judgeAlignment(whole, granularity, offsets, outcomes);
    if (window !== null) judgeWindow(starts, bucketEnd(granularity, offsets ?? []), window, outcomes);
    observeEmpty(buckets, starts, granularity, window, outcomes);
    if (starts.length > 1) outcomes.observed("USG-035", () => describeOrder(starts), "order of the buckets");
    if (granularity !== "hour" && whole.length > 0) {
      outcomes.observed("USG-037", () => describeZone(offsets), "time zone of days and months");
    }
  },
};

function judgeRepetition(starts: readonly number[], outcomes: Outcomes): void {
  const repeated = findRepeated(starts);
  outcomes.passOrFail("USG-018", repeated === null, () => ({
    kind: "two buckets begin at the same time",
    expected: "one item for each bucket",
    observed: `${new Date(repeated ?? 0).toISOString()} twice`,
  }));
}

function findRepeated(starts: readonly number[]): number | null {
  // Most services list them in order: then none begins where another does.
  if (isAscending(starts)) return null;
  const seen = new Set<number>();
  for (const start of starts) {
    if (seen.has(start)) return start;
    seen.add(start);
  }
  return null;
}

function isAscending(starts: readonly number[]): boolean {
  for (let index = 1; index < starts.length; index += 1) {
    if ((starts[index] ?? 0) <= (starts[index - 1] ?? 0)) return false;
  }
  return true;
}

function judgeAlignment(
  starts: readonly number[],
  granularity: Granularity,
  offsets: readonly number[] | null,
  outcomes: Outcomes,
): void {
  // The cut bucket alone shows nothing: one that is cut anew for every window would look the same.
  if (starts.length === 0) return;
  const wrong = starts.find((start) => !isBucketEdge(start, granularity));
  if (wrong === undefined) {
    outcomes.pass("USG-017");
    return;
  }
  const common = {
    expected: `timestamps where a ${granularity} begins, in UTC`,
    observed: new Date(wrong).toISOString(),
  };
  if (offsets === null) {
    outcomes.fail("USG-017", { kind: `a bucket does not begin where a ${granularity} begins`, ...common });
    return;
  }
  const where = offsets.length === 1 ? "a constant offset of " : "the two offsets of a zone with summer time, ";
  const message = `the buckets begin where a ${granularity} begins at ${where}${offsets.join(" and ")} minutes from UTC`;
  outcomes.advisory("USG-017", { kind: withoutNumbers(message), message, ...common });
}

/** How far summer time moves a clock: an hour nearly everywhere, half of one on Lord Howe Island. */
const summerMinutes = [60, 30];

/**
 * Offset of time zones in use, in steps of a quarter of an hour, under which all starts are aligned; for days and months the two of a
 * zone with summer time, if no single one explains them (AMB-34 leaves the zone open). null: none do, or there is nothing to explain.
 */
function offsetsMinutes(starts: readonly number[], granularity: Granularity): readonly number[] | null {
  const explain = (offsets: readonly number[]): boolean =>
    starts.every((start) => offsets.some((minutes) => isBucketEdge(start + minutes * minuteMs, granularity)));
  const zones = Array.from({ length: (26 * 60) / 15 + 1 }, (_, step) => step * 15 - 12 * 60);
  const candidates = [
    ...zones.map((minutes) => [minutes]),
    ...(granularity === "hour" ? [] : summerMinutes.flatMap((more) => zones.map((minutes) => [minutes, minutes + more]))),
  ];
  return starts.length === 0 ? null : (candidates.find(explain) ?? null);
}

const minuteMs = 60_000;

/** A month of another zone ends where the next begins there: in the calendar of UTC it begins on a last day, and may end days early. */
function bucketEnd(granularity: Granularity, offsets: readonly number[]): (start: number) => number {
  return (start) => {
    const own = offsets.find((minutes) => isBucketEdge(start + minutes * minuteMs, granularity));
    if (own === undefined) return nextBucketMs(start, granularity);
    return nextBucketMs(start + own * minuteMs, granularity) - Math.min(...offsets) * minuteMs;
  };
}

function judgeWindow(
  starts: readonly number[],
  endOf: (start: number) => number,
  { fromMs, toMs }: UsageWindow,
  outcomes: Outcomes,
): void {
  const outside = starts.find((start) => endOf(start) <= fromMs || start >= toMs);
  outcomes.passOrFail("USG-019", outside === undefined, () => ({
    kind: "a bucket lies outside the requested window",
    expected: `buckets that overlap ${new Date(fromMs).toISOString()} to ${new Date(toMs).toISOString()}`,
    observed: `a bucket at ${new Date(outside ?? 0).toISOString()}`,
  }));
}

function observeEmpty(
  buckets: readonly UsageBucket[],
  starts: readonly number[],
  granularity: Granularity,
  window: UsageWindow | null,
  outcomes: Outcomes,
): void {
  const question = "buckets without usage";
  const hasEmpty = buckets.some(({ totalTokens, costUsd }) => totalTokens === 0 && costUsd === 0);
  if (hasEmpty) outcomes.observed("USG-034", () => "they are listed", question);
  if (hasEmpty || window === null) return;
  const isCutShort = Math.min(...starts) > window.fromMs || nextBucketMs(Math.max(...starts), granularity) < window.toMs;
  if (isCutShort) outcomes.observed("USG-034", () => "they are left out", question);
}

function describeOrder(starts: readonly number[]): string {
  if (isAscending(starts)) return "ascending";
  return isAscending(starts.toReversed()) ? "descending" : "neither ascending nor descending";
}

function describeZone(offsets: readonly number[] | null): string {
  if (offsets === null) return "no time zone";
  return offsets.every((minutes) => minutes === 0) ? "UTC" : `${offsets.join(" and ")} minutes from UTC`;
}
