import { describe, expect, it } from "vitest";
import { coverTuples } from "../../../suites/generated/cover-tuples.ts";

/** Each two, or three, places of a row by name. */
function tuplesOf(row: readonly number[], strength: 2 | 3): readonly string[] {
  const places = row.map((level, dimension) => `${dimension}.${level}`);
  return places.flatMap((one, at) =>
    places
      .slice(at + 1)
      .flatMap((other, after) =>
        strength === 2 ? [`${one} ${other}`] : places.slice(at + after + 2).map((third) => `${one} ${other} ${third}`),
      ),
  );
}

/** Each row that there is. */
function allRows(sizes: readonly number[]): readonly (readonly number[])[] {
  return sizes.reduce<readonly (readonly number[])[]>(
    (rows, size) => rows.flatMap((row) => Array.from({ length: size }, (_, level) => [...row, level])),
    [[]],
  );
}

describe("coverTuples", () => {
  it.each([
    [2, [2, 2]],
    [2, [3, 3, 2]],
    [2, [4, 1, 1, 4]],
    [2, [5, 3, 4, 3, 2, 2]],
    [3, [2, 2, 2, 2]],
    [3, [5, 3, 4, 3, 2, 2]],
    [3, [3, 2]],
  ] as const)("holds each %d levels of as many dimensions of %j", (strength, sizes) => {
    const tuples = (rows: readonly (readonly number[])[]): ReadonlySet<string> =>
      new Set(rows.flatMap((row) => tuplesOf(row, strength)));
    expect(tuples(coverTuples(sizes, strength))).toEqual(tuples(allRows(sizes)));
  });

  it("needs few rows", () => {
    // Each two, or three, of the largest dimensions need a row of their own.
    expect(coverTuples([7, 3, 4, 3, 3, 4, 3, 2, 5, 2], 2).length).toBeLessThan(7 * 5 * 1.4);
    expect(coverTuples([3, 3, 2, 2, 3], 2).length).toBeLessThan(13);
    expect(coverTuples([7, 3, 4, 3, 3, 4, 3, 2, 5, 2], 3).length).toBeLessThan(7 * 5 * 4 * 1.6);
  });
});
