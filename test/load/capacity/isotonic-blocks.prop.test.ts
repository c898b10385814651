import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isotonicBlocks } from "../../../src/load/capacity/isotonic-blocks.ts";

const points = fc.array(
  fc.record({
    level: fc.integer({ min: 1, max: 30 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    weight: fc.integer({ min: 1, max: 500 }),
  }),
  { minLength: 1, maxLength: 25 },
);

describe("isotonic regression", () => {
  it("rises, and keeps the mean of all requests", () => {
    fc.assert(
      fc.property(points, (drawn) => {
        const blocks = isotonicBlocks(drawn);
        for (const [index, block] of blocks.entries()) {
          const before = blocks[index - 1];
          if (before === undefined) continue;
          expect(block.from).toBeGreaterThan(before.to);
          expect(block.share).toBeGreaterThanOrEqual(before.share);
        }
        const sum = (all: readonly { readonly share: number; readonly weight: number }[]): number =>
          all.reduce((total, { share, weight }) => total + share * weight, 0);
        expect(sum(blocks)).toBeCloseTo(sum(drawn), 6);
      }),
    );
  });

  it("pools what falls and nothing else", () => {
    const of = (level: number, share: number) => ({ level, share, weight: 100 });
    const alone = (level: number, share: number) => ({ from: level, to: level, centre: level, share, weight: 100 });
    expect(isotonicBlocks([of(1, 0), of(2, 0.1), of(4, 0.3)])).toEqual([alone(1, 0), alone(2, 0.1), alone(4, 0.3)]);
    expect(isotonicBlocks([of(4, 0.3), of(1, 0.2), of(2, 0.1)])).toEqual([
      { from: 1, to: 2, centre: expect.closeTo(Math.SQRT2, 9), share: expect.closeTo(0.15, 9), weight: 200 },
      alone(4, 0.3),
    ]);
  });
});
