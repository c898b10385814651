import { judgeExchanges } from "../../../src/conformance/verdict/judge-exchanges.ts";
import type { Judge, Occurrence } from "../../../src/conformance/judging/judge.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { contextWith } from "../../suites/judge-with.ts";

/** An occurrence as one line with everything that it says: `ERR-005 fail #12: a 422 without ... [expected ...] [observed ...]`. */
export function printOccurrence(occurrence: Occurrence): string {
  return printOn(occurrence, printSeqs(occurrence.exchanges));
}

function printSeqs(seqs: readonly number[]): string {
  return seqs.map((seq) => `#${seq}`).join(" ");
}

function printOn({ requirement, outcome, message, expected, observed, answer }: Occurrence, exchanges: string): string {
  const parts = [`${requirement} ${outcome} ${exchanges}`];
  if (message !== undefined) parts.push(`: ${message}`);
  if (answer !== undefined) parts.push(` = ${answer}`);
  if (expected !== undefined) parts.push(` [expected ${expected}]`);
  if (observed !== undefined) parts.push(` [observed ${observed}]`);
  return parts.join("").replaceAll("\n", String.raw`\n`);
}

/** All occurrences; what is said alike of several exchanges stands once: `ERR-005 pass #3-#9 #12`, of several pairs `#3 #1, #4 #1`. */
export function printAll(occurrences: Iterable<Occurrence>): readonly string[] {
  const alike = new Map<string, Occurrence[]>();
  for (const occurrence of occurrences) {
    const key = `${occurrence.exchanges.length === 1} ${printOn(occurrence, "")}`;
    alike.set(key, [...(alike.get(key) ?? []), occurrence]);
  }
  return [...alike.values()].map((same) => {
    const sets = same.map(({ exchanges }) => exchanges);
    const areOfOne = sets.every(({ length }) => length === 1);
    return printOn(same[0]!, areOfOne ? printRanges(sets.flat(), "#") : sets.map(printSeqs).join(", "));
  });
}

/** Numbers that follow each other as `3-9`, each end with a mark before it. */
export function printRanges(seqs: readonly number[], mark = ""): string {
  const ranges: [number, number][] = [];
  for (const seq of seqs) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === seq - 1) last[1] = seq;
    else ranges.push([seq, seq]);
  }
  return ranges.map(([from, to]) => (from === to ? `${mark}${from}` : `${mark}${from}-${mark}${to}`)).join(" ");
}

/** A statement of the judge itself: that an answer could not be read is stated for it, and tested for all judges together. */
export function isOwnWord({ unread }: Occurrence): boolean {
  return unread !== true;
}

/** All statements of one judge about records that a test made. */
export function printJudge(judge: Judge, exchanges: readonly Exchange[], manifest: Partial<Manifest> = {}): readonly string[] {
  return judgeExchanges(exchanges, [judge], contextWith(manifest)).filter(isOwnWord).map(printOccurrence);
}
