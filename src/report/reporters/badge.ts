import type { Result } from "../../core/result/result.ts";
import { safeJson } from "../escape/json.ts";
import { runVerdictWord } from "../text/verdict-word.ts";

/** Endpoint document of shields.io for vendors: the conformance verdict where there is one, else the verdict of the run. */
export function renderBadge(result: Result): string {
  const [message, color] = describe(result);
  return `${safeJson({ schemaVersion: 1, label: "inference API", message, color })}\n`;
}

function describe(result: Result): readonly [message: string, color: string] {
  const { conformance, verdict } = result;
  if (verdict === "interrupted" || verdict === "internal-error") return ["not judged", "lightgrey"];
  if (conformance === null)
    return verdict === "passed"
      ? runVerdictWord(result).tone === "pass"
        ? ["passed", "brightgreen"]
        : ["measured", "lightgrey"]
      : verdict === "failed"
        ? ["failed", "red"]
        : ["not valid", "lightgrey"];
  const verdicts = new Set(conformance.suites.map((suite) => suite.verdict));
  if (verdicts.has("non-conformant")) return ["non-conformant", "red"];
  if (verdicts.size === 0 || verdicts.has("incomplete")) return ["incomplete", "yellow"];
  return verdict === "passed" ? ["conformant", "brightgreen"] : ["conformant, with findings", "orange"];
}
