import type { GroupView } from "../exam/check.ts";
import type { LimitOp } from "../history/op.ts";
import { decisiveChance } from "./decisive-chance.ts";
import { quickRows } from "./quick-rows.ts";

/**
 * Rows of single requests that end with a refusal, each of which says that more remains than the admitted one directly before it: whatever
 * a limiter rounds, it shows as much again only if something came back between the two. Before each row the exam waits for a
 * time drawn at random, so that a fraction of a request is left by chance. null: some row shows it otherwise, or too few.
 */
export function findRiseOnRefusal(view: GroupView): readonly (readonly [LimitOp, LimitOp])[] | null {
  const ends = quickRows(view).flatMap(({ ops, chance }) => {
    const [early, late] = ops.slice(-2);
    return early?.outcome === "admitted" && late?.outcome === "rejected" ? [{ early, late, chance }] : [];
  });
  // One that remains may be a fraction that is rounded up, of refusals only.
  const rises = ({ early, late }: (typeof ends)[number]): boolean =>
    late.requests.remaining! > Math.max(1, early.requests.remaining!);
  if (!ends.every(rises)) return null;
  // Who is refused had less than one left, which a rounding may show as one; the rest is a batch, and the larger it is the rarer it comes.
  const batchOf = ({ late }: (typeof ends)[number]): number => Math.max(1, late.requests.remaining! - 1);
  const chance = ends.reduce((product, end) => (product * end.chance) / batchOf(end), 1);
  return chance <= decisiveChance ? ends.map(({ early, late }) => [early, late] as const) : null;
}
