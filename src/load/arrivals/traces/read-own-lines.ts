import { shortName, shortValue } from "../../../core/short-value.ts";
import { readObjects } from "./read-objects.ts";
import { tokenCount } from "../../../core/exchange/bodies/token-count.ts";
import type { ReadRows, TraceEntry } from "./trace-entry.ts";

const members = ["at_ms", "prompt_tokens", "output_tokens"];

/** One object a line with `at_ms`, and `prompt_tokens` and `output_tokens` where they are known. */
export function readOwnLines(lines: readonly string[]): ReadRows {
  const problems: string[] = [];
  const entries = readObjects(lines, problems).flatMap(({ place, value }): readonly TraceEntry[] => {
    for (const name of ["prompt_tokens", "output_tokens"]) {
      if ((value[name] ?? null) !== null && tokenCount(value[name]) === null)
        problems.push(`${place}: "${name}" is ${shortValue(value[name])}, not a whole number`);
    }
    for (const name of Object.keys(value)) {
      if (!members.includes(name))
        problems.push(`${place}: "${shortName(name)}" is no member of a row; known are ${members.join(", ")}`);
    }
    const atMs = value["at_ms"];
    if (typeof atMs === "number" && Number.isFinite(atMs))
      return [{ atMs, promptTokens: tokenCount(value["prompt_tokens"]), outputTokens: tokenCount(value["output_tokens"]) }];
    problems.push(`${place} has no number "at_ms"`);
    return [];
  });
  return { entries, problems };
}
