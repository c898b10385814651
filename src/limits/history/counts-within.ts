import { createRankedCounts } from "./ranked-counts.ts";
import { ascending, countBelow } from "../../core/sorted.ts";

/**
 * For each answer how many requests certainly fell, whole, into the span that ends with it. `answered`: by the instant of the
 * answer. O(n log n).
 */
export function countsWithin(
  answered: readonly { readonly sentMs: number; readonly headersMs: number }[],
  spanMs: number,
): readonly number[] {
  const starts = ascending(answered.map(({ sentMs }) => sentMs));
  const counted = createRankedCounts(answered.length);
  return answered.map(({ sentMs, headersMs }, index) => {
    counted.add(countBelow(starts, sentMs));
    // Of those answered by now the ones that were sent before the span began are left out.
    return index + 1 - counted.upTo(countBelow(starts, headersMs - spanMs) - 1);
  });
}
