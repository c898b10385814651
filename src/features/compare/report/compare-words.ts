import type { ComparisonVerdict, MetricComparison } from "../../../core/result/compare-result.ts";
import { type VerdictWord, verdictWords } from "../../../report/text/verdict-word.ts";

export const compareVerdictWords: Readonly<Record<ComparisonVerdict, VerdictWord>> = {
  better: { ...verdictWords.pass, word: "Better" },
  worse: { ...verdictWords.fail, word: "Worse" },
  "no detectable change": { ...verdictWords.observed, glyph: "=", ascii: "=", word: "No detectable change" },
  "judges less": { ...verdictWords.inconclusive, word: "Incomplete: the newer run judges less" },
  "not comparable": { ...verdictWords.inconclusive, word: "Not comparable" },
};

const comparisonWords: Readonly<Record<MetricComparison["verdict"], VerdictWord>> = {
  better: { ...verdictWords.pass, word: "better" },
  worse: { ...verdictWords.fail, word: "worse" },
  "no detectable change": { ...verdictWords.observed, glyph: "=", ascii: "=", word: "no detectable change" },
  "too few": { ...verdictWords.inconclusive, word: "too few" },
  "instrument unknown": { ...verdictWords.inconclusive, word: "not judged" },
};

/** A change that the interval shows and a bound does not count is never drawn like no change; its reason stands beside it. */
export function comparisonWord({ verdict, reason }: MetricComparison): VerdictWord {
  const isNotCounted = verdict === "no detectable change" && reason !== null;
  return isNotCounted
    ? { ...verdictWords.observed, glyph: "~", ascii: "~", word: "too small to count" }
    : comparisonWords[verdict];
}

const rateNames: Readonly<Partial<Record<MetricComparison["metric"], string>>> = {
  "good-fraction": "goodput",
  "ok-per-second": "successes per second",
  "output-tokens-per-second": "output tokens per second",
};

/** `ttft p50`, `goodput` */
export function comparedFigure({ metric, statistic }: MetricComparison): string {
  return rateNames[metric] ?? `${metric} ${statistic}`;
}
