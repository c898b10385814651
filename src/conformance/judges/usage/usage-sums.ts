import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { granularityOf, isBucketEdge, readUsageReport, type UsageBucket, type UsageReport, windowOf } from "./usage-report.ts";

/** Half a percent, or a millionth of a dollar for each bucket that is not empty: rounding of small amounts. */
const relativeRounding = 0.005;
const leastRounding = 1e-6;
/** Half of a tenth of a cent for each amount that is shown, however great the sum is: whole cents beside a finer total are no sum. */
const mostRounding = 0.5e-3;

/** Totals are sums: of the parts of a bucket, and of the buckets of a window. */
export const usageSums: ExchangeJudge = {
  scope: "exchange",
  id: "usage-sums",
  covers: ["USG-024", "USG-028", "USG-029"],
  conclusive: true,
  concerns: ({ endpoint, status }) => endpoint === "usage" && status < 300,
  judge(exchange, outcomes) {
    const report = readUsageReport(exchange);
    const buckets = report?.buckets ?? null;
    if (report === null || buckets === null) return;
    judgeBuckets(buckets, outcomes);
    if (hasWholeBuckets(report)) judgeAggregate(report, buckets, outcomes);
  },
};

function judgeBuckets(buckets: readonly UsageBucket[], outcomes: Outcomes): void {
  let complete = 0;
  for (const { promptTokens, completionTokens, totalTokens } of buckets) {
    // A negative number is wrong by itself and proves nothing about a sum.
    if (promptTokens === null || completionTokens === null || totalTokens === null) continue;
    if (promptTokens < 0 || completionTokens < 0 || totalTokens < 0) continue;
    complete += 1;
    if (promptTokens + completionTokens === totalTokens) continue;
    outcomes.fail("USG-024", {
      kind: "the total of a bucket is not the sum of its prompt and completion tokens",
      expected: `${promptTokens + completionTokens}`,
      observed: `${totalTokens}`,
    });
    return;
  }
  if (complete > 0) outcomes.pass("USG-024");
}

/** If an edge of the window cuts a bucket, its content is not settled. */
function hasWholeBuckets({ query }: UsageReport): boolean {
  const granularity = granularityOf(query);
  const window = windowOf(query);
  if (granularity === null || window === null) return false;
  return isBucketEdge(window.fromMs, granularity) && isBucketEdge(window.toMs, granularity);
}

function judgeAggregate({ totalTokens, totalCostUsd }: UsageReport, buckets: readonly UsageBucket[], outcomes: Outcomes): void {
  const tokens = sumOf(buckets, "totalTokens");
  if (totalTokens !== null && tokens !== null) {
    outcomes.passOrFail("USG-028", tokens === totalTokens, () => ({
      kind: "the tokens of the aggregate are not the sum over the buckets",
      expected: `${tokens}`,
      observed: `${totalTokens}`,
    }));
  }
  const cost = sumOf(buckets, "costUsd");
  if (totalCostUsd === null || cost === null) return;
  const tolerance = amountTolerance(buckets, cost);
  outcomes.passOrFail("USG-029", Math.abs(cost - totalCostUsd) <= tolerance, () => ({
    kind: "the cost of the aggregate is not the sum over the buckets",
    expected: `${cost} within ${tolerance}`,
    observed: `${totalCostUsd}`,
  }));
}

/** The difference between amounts of money, shown for each bucket and as a sum, that rounding explains. */
export function amountTolerance(buckets: readonly UsageBucket[], cost: number): number {
  // A bucket that shows nothing at all has nothing that could have been rounded.
  const rounded = buckets.filter((bucket) => bucket.totalTokens !== 0 || bucket.costUsd !== 0).length;
  return Math.min(Math.max(relativeRounding * cost, leastRounding * Math.max(1, rounded)), mostRounding * (rounded + 1));
}

/** null: one of the buckets does not say. */
function sumOf(buckets: readonly UsageBucket[], member: "totalTokens" | "costUsd"): number | null {
  let sum = 0;
  for (const bucket of buckets) {
    const value = bucket[member];
    if (value === null) return null;
    sum += value;
  }
  return sum;
}
