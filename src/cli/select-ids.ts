import { closestWord } from "../core/closest-word.ts";
import { matchesId } from "../core/id-pattern.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The ids that patterns stand for, in the order of `known`. A pattern that stands for none is a mistake: it would leave nothing to
 * send, and that reads like a target that could not be judged.
 */
export function selectIds<Id extends string>(
  patterns: readonly string[],
  known: readonly Id[],
  { what, listedBy }: { readonly what: string; readonly listedBy: string },
): readonly Id[] {
  for (const pattern of patterns) {
    if (known.some((id) => matchesId(pattern, id))) continue;
    const near = closestWord(pattern, known);
    throw new UsageError(`no ${what} is named ${pattern}`, near === null ? `${listedBy} shows them` : `did you mean ${near}?`);
  }
  return patterns.length === 0 ? [] : known.filter((id) => patterns.some((pattern) => matchesId(pattern, id)));
}
