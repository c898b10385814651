import { judgeExchanges } from "../../../src/conformance/verdict/judge-exchanges.ts";
import type { Judge, Occurrence } from "../../../src/conformance/judging/judge.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { contextWith } from "../../suites/judge-with.ts";

/** An occurrence as one line with everything that it says: `ERR-005 fail #12: a 422 without ... [expected ...] [observed ...]`. */
export function printOccurrence({ requirement, outcome, exchanges, message, expected, observed, answer }: Occurrence): string {
  const parts = [`${requirement} ${outcome} ${exchanges.map((seq) => `#${seq}`).join(" ")}`];
  if (message !== undefined) parts.push(`: ${message}`);
  if (answer !== undefined) parts.push(` = ${answer}`);
  if (expected !== undefined) parts.push(` [expected ${expected}]`);
  if (observed !== undefined) parts.push(` [observed ${observed}]`);
  return parts.join("").replaceAll("\n", String.raw`\n`);
}

/** All occurrences; passes on one exchange each are reported together: `ERR-005 pass #3-#9 #12`. */
export function printAll(occurrences: Iterable<Occurrence>): readonly string[] {
  const passed = new Map<string, number[]>();
  const lines: string[] = [];
  for (const occurrence of occurrences) {
    const [seq, ...others] = occurrence.exchanges;
    if (occurrence.outcome !== "pass" || seq === undefined || others.length > 0) lines.push(printOccurrence(occurrence));
    else passed.set(occurrence.requirement, [...(passed.get(occurrence.requirement) ?? []), seq]);
  }
  return [...[...passed].map(([requirement, seqs]) => `${requirement} pass ${printRanges(seqs, "#")}`), ...lines];
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

/** What one judge says about records that a test made, whole. */
export function printJudge(judge: Judge, exchanges: readonly Exchange[], manifest: Partial<Manifest> = {}): readonly string[] {
  return judgeExchanges(exchanges, [judge], contextWith(manifest)).map(printOccurrence);
}
