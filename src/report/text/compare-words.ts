import type { ComparisonVerdict, MetricComparison } from "../../core/result/compare-result.ts";
import { type VerdictWord, verdictWords } from "./verdict-word.ts";

export const compareVerdictWords: Readonly<Record<ComparisonVerdict, VerdictWord>> = {
  better: { ...verdictWords.pass, word: "Better" },
  worse: { ...verdictWords.fail, word: "Worse" },
  "no detectable change": { ...verdictWords.observed, glyph: "=", ascii: "=", word: "No detectable change" },
  "judges less": { ...verdictWords.inconclusive, word: "Incomplete: the newer run judges less" },
  "not comparable": { ...verdictWords.inconclusive, word: "Not comparable" },
};

export const comparisonWords: Readonly<Record<MetricComparison["verdict"], VerdictWord>> = {
  better: { ...verdictWords.pass, word: "better" },
  worse: { ...verdictWords.fail, word: "worse" },
  "no detectable change": { ...verdictWords.observed, glyph: "=", ascii: "=", word: "no detectable change" },
  "too few": { ...verdictWords.inconclusive, word: "too few" },
};
