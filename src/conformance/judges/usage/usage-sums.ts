import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { granularityOf, isBucketEdge, readUsageReport, type UsageBucket, type UsageReport, windowOf } from "./usage-report.ts";

/** Half a percent, or a millionth of a dollar for each bucket that is not empty: rounding of shown amounts. */
const costTolerance = 0.005;
const costRounding = 1e-6;

const glanced = createGlancedLists(["USG-024", "USG-028", "USG-029"]);

/** Totals are sums: of the parts of a bucket, and of the buckets of a window. */
export const usageSums: ExchangeJudge = {
  scope: "exchange",
  id: "usage-sums",
  covers: ["USG-024", "USG-028", "USG-029"],
  conclusive: true,
  concerns: ({ endpoint, status }) => endpoint === "usage" && status < 300,
  glance(exchange) {
    const report = readUsageReport(exchange);
    if (report?.buckets == null) return nothingGlanced;
    const { buckets } = report;
    if (buckets.length === 0) return null;
    let [tokens, cost] = [0, 0];
    for (let index = 0; index < buckets.length; index += 1) {
      const { promptTokens, completionTokens, totalTokens, costUsd } = buckets[index] as UsageBucket;
      if (promptTokens === null || completionTokens === null || totalTokens === null || costUsd === null) return null;
      if (!(promptTokens >= 0 && completionTokens >= 0 && promptTokens + completionTokens === totalTokens)) return null;
      tokens += totalTokens;
      cost += costUsd;
    }
    if (!hasWholeBuckets(report)) return glanced(0b001);
    // Sums that are rounded take the long way.
    const isSum = tokens === report.totalTokens && report.totalCostUsd !== null && cost >= 0;
    return isSum && Math.abs(cost - report.totalCostUsd) <= costTolerance * cost ? glanced(0b111) : null;
  },
  *judge(exchange): Iterable<Occurrence> {
    const report = readUsageReport(exchange);
    if (report?.buckets == null) return;
    yield* judgeBuckets(report, report.buckets);
    if (hasWholeBuckets(report)) yield* judgeAggregate(report, report.buckets);
  },
};

function* judgeBuckets({ exchange }: UsageReport, buckets: readonly UsageBucket[]): Iterable<Occurrence> {
  // A negative number is wrong by itself and proves nothing about a sum.
  const complete = buckets.filter(({ promptTokens, completionTokens, totalTokens }) =>
    [promptTokens, completionTokens, totalTokens].every((tokens) => tokens !== null && tokens >= 0),
  );
  if (complete.length === 0) return;
  const subject = { requirement: "USG-024", exchanges: [exchange.seq] };
  const wrong = complete.find(
    ({ promptTokens, completionTokens, totalTokens }) => (promptTokens ?? 0) + (completionTokens ?? 0) !== totalTokens,
  );
  yield wrong === undefined
    ? { ...subject, outcome: "pass" }
    : {
        ...subject,
        outcome: "fail",
        message: "the total of a bucket is not the sum of its prompt and completion tokens",
        expected: `${(wrong.promptTokens ?? 0) + (wrong.completionTokens ?? 0)}`,
        observed: `${wrong.totalTokens}`,
      };
}

/** Where a bucket is cut by an edge of the window, what it holds is not settled. */
function hasWholeBuckets({ query }: UsageReport): boolean {
  const granularity = granularityOf(query);
  const window = windowOf(query);
  if (granularity === null || window === null) return false;
  return isBucketEdge(window.fromMs, granularity) && isBucketEdge(window.toMs, granularity);
}

function* judgeAggregate(
  { exchange, totalTokens, totalCostUsd }: UsageReport,
  buckets: readonly UsageBucket[],
): Iterable<Occurrence> {
  const exchanges = [exchange.seq];
  const tokens = buckets.map((bucket) => bucket.totalTokens);
  if (totalTokens !== null && tokens.every((value) => value !== null)) {
    const sum = tokens.reduce((total, value) => total + value, 0);
    yield sum === totalTokens
      ? { requirement: "USG-028", outcome: "pass", exchanges }
      : {
          requirement: "USG-028",
          outcome: "fail",
          exchanges,
          message: "the tokens of the aggregate are not the sum over the buckets",
          expected: `${sum}`,
          observed: `${totalTokens}`,
        };
  }
  const costs = buckets.map((bucket) => bucket.costUsd);
  if (totalCostUsd !== null && costs.every((value) => value !== null)) {
    const sum = costs.reduce((total, value) => total + value, 0);
    // A bucket that shows nothing at all has nothing that could have been rounded.
    const rounded = buckets.filter((bucket) => bucket.totalTokens !== 0 || bucket.costUsd !== 0).length;
    const tolerance = Math.max(costTolerance * sum, costRounding * Math.max(1, rounded));
    yield Math.abs(sum - totalCostUsd) <= tolerance
      ? { requirement: "USG-029", outcome: "pass", exchanges }
      : {
          requirement: "USG-029",
          outcome: "fail",
          exchanges,
          message: "the cost of the aggregate is not the sum over the buckets",
          expected: `${sum} within ${tolerance}`,
          observed: `${totalCostUsd}`,
        };
  }
}
