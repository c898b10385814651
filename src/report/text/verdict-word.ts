import type { Result } from "../../core/result/result.ts";
import type { SuiteVerdict, Verdict } from "../../core/result/verdict.ts";

/** How a verdict reads: a glyph and a word, so that colour is never the only carrier. */
export interface VerdictWord {
  readonly glyph: string;
  readonly ascii: string;
  readonly word: string;
  readonly tone: Tone;
}

export type Tone = "pass" | "fail" | "warn" | "open" | "plain";

export const verdictWords: Readonly<Record<Verdict, VerdictWord>> = {
  pass: { glyph: "✓", ascii: "+", word: "pass", tone: "pass" },
  fail: { glyph: "✗", ascii: "x", word: "fail", tone: "fail" },
  advisory: { glyph: "!", ascii: "!", word: "advisory", tone: "warn" },
  observed: { glyph: "○", ascii: "o", word: "observed", tone: "plain" },
  inconclusive: { glyph: "?", ascii: "?", word: "inconclusive", tone: "open" },
  untested: { glyph: "–", ascii: "-", word: "untested", tone: "open" },
  "not-applicable": { glyph: "·", ascii: ".", word: "not applicable", tone: "plain" },
  excluded: { glyph: "·", ascii: ".", word: "excluded", tone: "plain" },
};

export const runVerdictWords: Readonly<Record<Result["verdict"], VerdictWord>> = {
  passed: { glyph: "✓", ascii: "+", word: "Passed", tone: "pass" },
  failed: { glyph: "✗", ascii: "x", word: "Failed", tone: "fail" },
  incomplete: { glyph: "?", ascii: "?", word: "Incomplete", tone: "open" },
  invalid: { glyph: "?", ascii: "?", word: "Invalid", tone: "open" },
  interrupted: { glyph: "?", ascii: "?", word: "Interrupted", tone: "open" },
  "internal-error": { glyph: "!", ascii: "!", word: "Internal error", tone: "warn" },
};

/**
 * A run that measured load and nothing else, without a gate, met nothing: there was nothing to meet. Failures that the baseline
 * knows are named in the headline.
 */
export function runVerdictWord({ verdict, conformance, limits, load, findings }: Result): VerdictWord {
  const word = runVerdictWords[verdict];
  if (verdict !== "passed") return word;
  const bare = conformance === null && limits === null && load !== null && load.profiles.every(({ gates }) => gates.length === 0);
  if (bare) return { ...verdictWords.observed, word: "Measured, no gates" };
  const known = findings.filter((finding) => finding.baselined && finding.verdict === "fail").length;
  if (known === 0) return word;
  return { ...verdictWords.advisory, word: `Passed with ${known} known ${known === 1 ? "failure" : "failures"}` };
}

export const suiteVerdictWords: Readonly<Record<SuiteVerdict, VerdictWord>> = {
  conformant: { glyph: "✓", ascii: "+", word: "conformant", tone: "pass" },
  "non-conformant": { glyph: "✗", ascii: "x", word: "non-conformant", tone: "fail" },
  incomplete: { glyph: "?", ascii: "?", word: "incomplete", tone: "open" },
  untested: { glyph: "–", ascii: "-", word: "untested", tone: "plain" },
};
