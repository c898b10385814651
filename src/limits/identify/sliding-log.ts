import { createRankedCounts } from "../history/ranked-counts.ts";
import { ascending, countBelow, countUpTo } from "../../core/sorted.ts";
import { countIntervals } from "../history/count-intervals.ts";
import { refuted, usedBounds, type Family, type FamilyInput, type FamilyVerdict } from "./family.ts";

/** Counts exactly what was admitted in the last window, whatever its label means. */
export const slidingLog: Family = {
  id: "sliding-log",
  examine: (input) => {
    const verdict = overfull(input) ?? underfull(input) ?? misread(input);
    return (
      verdict ?? {
        possible: true,
        parameters: { limit: input.limit, windowSeconds: input.windowMs / 1000, before: input.before === 1 },
      }
    );
  },
};

const id = "sliding-log";

function slackMs(input: FamilyInput): number {
  return input.granularityMs + input.fuzzMs;
}

/** More than the limit certainly within one window: spans that start with a send instant, ends counted with a Fenwick tree. */
function overfull(input: FamilyInput): FamilyVerdict | null {
  const spanMs = input.windowMs - slackMs(input);
  const admitted = input.ops.filter((op) => op.outcome === "admitted");
  const byEnd = [...admitted].sort((a, b) => a.headersMs - b.headersMs);
  const ends = byEnd.map((op) => op.headersMs);
  const rank = new Map(byEnd.map((op, index) => [op.seq, index]));
  const tree = createRankedCounts(byEnd.length);
  for (const op of admitted.toReversed()) {
    tree.add(rank.get(op.seq)!);
    const inside = tree.upTo(countBelow(ends, op.sentMs + spanMs) - 1);
    if (inside > input.limit)
      return refuted(id, `${inside} requests were admitted within ${(spanMs / 1000).toFixed(1)} s from #${op.seq} on`, [op.seq]);
  }
  return null;
}

function underfull(input: FamilyInput): FamilyVerdict | null {
  const counted = countIntervals(input.ops);
  for (const op of input.ops) {
    if (op.outcome !== "rejected") continue;
    const possible = counted.possible(op.sentMs - input.windowMs - slackMs(input), op.headersMs) - 1;
    if (possible < input.limit)
      return refuted(id, `#${op.seq} was rejected with at most ${possible} of ${input.limit} in the last window`, [op.seq]);
  }
  return null;
}

function misread(input: FamilyInput): FamilyVerdict | null {
  const counted = countIntervals(input.ops);
  const admitted = input.ops.filter((op) => op.outcome === "admitted");
  const byEnd = [...admitted].sort((a, b) => a.headersMs - b.headersMs);
  const starts = ascending(admitted.map((op) => op.sentMs));
  const rank = new Map(admitted.map((op, index) => [op.seq, index]));
  const tree = createRankedCounts(admitted.length);
  let ended = 0;
  for (const op of admitted) {
    while (ended < byEnd.length && byEnd[ended]!.headersMs < op.sentMs) tree.add(rank.get(byEnd[ended++]!.seq)!);
    const reading = usedBounds(op, input);
    if (!reading) continue;
    // Certainly counted: ended before this was sent, and sent late enough to be in the log still when this was answered.
    const old = countUpTo(starts, op.headersMs - input.windowMs + slackMs(input));
    // Read late (O3), a request that took longer than a window has left the log itself.
    const own = op.headersMs - op.sentMs < input.windowMs - slackMs(input) ? 1 : 0;
    const least = ended - tree.upTo(old - 1) + own - input.before;
    const most = counted.possible(op.sentMs - input.windowMs - slackMs(input), op.headersMs) - input.before;
    if (reading[1] < least || reading[0] > most) {
      return refuted(id, `#${op.seq} shows ${op.remaining} remaining; ${input.limit - most} to ${input.limit - least} can`, [
        op.seq,
      ]);
    }
  }
  return null;
}
