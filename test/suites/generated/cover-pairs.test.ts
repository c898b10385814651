import { describe, expect, it } from "vitest";
import { coverPairs } from "../../../suites/generated/cover-pairs.ts";

function pairsOf(row: readonly number[]): readonly string[] {
  return row.flatMap((level, one) => row.slice(one + 1).map((other, after) => `${one}.${level} ${one + 1 + after}.${other}`));
}

describe("coverPairs", () => {
  it.each([[[2, 2]], [[3, 3, 2]], [[7, 3, 4, 3, 3, 4, 3, 2, 5, 2]], [[4, 1, 1, 4]]])(
    "holds each two levels of two dimensions of %j",
    (sizes) => {
      const covered = new Set(coverPairs(sizes).flatMap(pairsOf));
      for (const [one, size] of sizes.entries()) {
        for (const [other, otherSize] of sizes.entries()) {
          if (other <= one) continue;
          for (let level = 0; level < size * otherSize; level += 1) {
            expect(covered).toContain(`${one}.${level % size} ${other}.${Math.floor(level / size)}`);
          }
        }
      }
    },
  );

  it("needs few rows", () => {
    // Each two of the two largest dimensions need a row of their own.
    expect(coverPairs([7, 3, 4, 3, 3, 4, 3, 2, 5, 2]).length).toBeLessThan(7 * 5 * 1.4);
    expect(coverPairs([3, 3, 2, 2, 3]).length).toBeLessThan(13);
  });
});
