import { accused, type Check, type CheckHead } from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { quickRows, type QuickRow, decisiveChance } from "./quick-rows.ts";

/** Fewer rows, or rows from fewer heights, leave it open where in a row a refill may have fallen. */
const fewestRows = 5;
const fewestHeights = 3;

/**
 * In every row of single requests that passes it, one number that remains is shown by two admitted requests in a row: one more is admitted
 * there than is counted. Something may have come back between the two, with the chance that less than a request comes back at all,
 * and that it falls on this number of the heights from which rows begin, which the exam draws at random. Its number is not
 * known beforehand: as many as a row has are granted. O(n).
 */
export function findRepeatedReading(view: GroupView, head: CheckHead): Check | null {
  if (view.limit === null) return null;
  const rows = quickRows(view);
  const values = new Set(rows.flatMap(({ ops }) => ops.map(remainingOf)));
  for (const value of values) {
    const passing = rows.flatMap((row) => passage(row, value) ?? []);
    const heights = new Set(passing.map(({ row }) => remainingOf(row.ops[0]!))).size;
    if (passing.length < fewestRows || heights < fewestHeights || !passing.every(({ repeats }) => repeats)) continue;
    const chance = passing.reduce((product, { row }) => (product * row.chance) / heights, values.size);
    if (chance > decisiveChance) continue;
    const pairs = passing.flatMap(({ pair }) => pair);
    return accused(head, view.admitted.length, "fail", {
      kind: "repeated-reading",
      message: `${passing.length} times single requests, each sent after the answer of the one before, used up what remained; each time two of them in a row were admitted and showed ${value} remaining (#${pairs[0]!.seq} and #${pairs[1]!.seq} first), within ${longestMs(pairs)} ms at most. A limit of ${view.limit} brings back one request in ${Math.round(view.tolerances.windowMs / view.limit)} ms. A correct limiter of any kind ${value === 0 ? "refuses the second of them" : `shows ${value - 1} at the second of them`}, now and then by chance not`,
      rule: "Every admitted request lowers remaining by one.",
      spec: "Limits > Rate limits (x-ratelimit-remaining-requests)",
      ops: pairs,
      parameters: { limit: view.limit, remaining: value, heights, fuzzMs: view.tolerances.fuzzMs },
      lawfulAlternative: value === 0 ? "the second request is refused" : `the second request shows ${value - 1} remaining`,
      expected: value === 0 ? "429" : `remaining ${value - 1}`,
      observed: `remaining ${value} twice, ${passing.length} of ${passing.length} times`,
    });
  }
  return null;
}

interface Passage {
  readonly row: QuickRow;
  readonly pair: readonly [LimitOp, LimitOp];
  readonly repeats: boolean;
}

/** The place at which a row comes down to `value` from above and goes on; null: it does not. */
function passage(row: QuickRow, value: number): Passage | null {
  const at = row.ops.findIndex((op) => op.outcome === "admitted" && remainingOf(op) === value);
  const [early, late] = [row.ops[at], row.ops[at + 1]];
  if (at < 1 || early === undefined || late === undefined) return null;
  return { row, pair: [early, late], repeats: late.outcome === "admitted" && remainingOf(late) === value };
}

function remainingOf({ requests }: LimitOp): number {
  return requests.remaining!;
}

function longestMs(pairs: readonly LimitOp[]): number {
  return Math.ceil(Math.max(...pairs.map((op, index) => (index % 2 === 1 ? op.headersMs - pairs[index - 1]!.sentMs : 0))));
}
