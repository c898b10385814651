import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { showValue } from "../../judging/json-value.ts";
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
    judgeAlignment(whole, granularity, outcomes);
    if (window !== null) judgeWindow(starts, granularity, window, outcomes);
    observeEmpty(buckets, starts, granularity, window, outcomes);
    if (starts.length > 1) outcomes.observed("USG-035", () => describeOrder(starts), "order of the buckets");
    if (granularity !== "hour" && whole.length > 0) {
      outcomes.observed("USG-037", () => describeZone(whole, granularity), "time zone of days and months");
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

function judgeAlignment(starts: readonly number[], granularity: Granularity, outcomes: Outcomes): void {
  // The cut bucket alone shows nothing: one that is cut anew for every window would look the same.
  if (starts.length === 0) return;
  const wrong = starts.find((start) => !isBucketEdge(start, granularity));
  if (wrong === undefined) {
    outcomes.pass("USG-017");
    return;
  }
  const offset = commonOffsetMinutes(starts, granularity);
  const common = {
    expected: `timestamps where a ${granularity} begins, in UTC`,
    observed: new Date(wrong).toISOString(),
  };
  if (offset === null) {
    outcomes.fail("USG-017", { kind: `a bucket does not begin where a ${granularity} begins`, ...common });
    return;
  }
  const shifted = (minutes: string): string =>
    `the buckets begin where a ${granularity} begins at a constant offset of ${minutes} minutes from UTC`;
  outcomes.advisory("USG-017", { kind: shifted(offset < 0 ? "-0" : "0"), message: shifted(String(offset)), ...common });
}

/** Offset of time zones in use, in steps of a quarter of an hour, under which all starts are aligned. */
function commonOffsetMinutes(starts: readonly number[], granularity: Granularity): number | null {
  for (let minutes = -12 * 60; minutes <= 14 * 60; minutes += 15) {
    if (starts.every((start) => isBucketEdge(start + minutes * 60_000, granularity))) return minutes;
  }
  return null;
}

function judgeWindow(
  starts: readonly number[],
  granularity: Granularity,
  { fromMs, toMs }: UsageWindow,
  outcomes: Outcomes,
): void {
  const outside = starts.find((start) => nextBucketMs(start, granularity) <= fromMs || start >= toMs);
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

function describeZone(starts: readonly number[], granularity: Granularity): string {
  const offset = commonOffsetMinutes(starts, granularity);
  if (offset === null) return "no time zone";
  return offset === 0 ? "UTC" : `${offset} minutes from UTC`;
}
