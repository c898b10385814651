import { describe, expect, it } from "vitest";
import { packOps, roundOp, unpackOps } from "../../../src/limits/history/op-columns.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";

it("keeps lateness in whole milliseconds, none of them shorter than it was", () => {
  expect(roundOp(makeLimitOp(1, 5, 20, { lateMs: 0.2 })).lateMs).toBe(1);
  expect(roundOp(makeLimitOp(1, 5, 20, { lateMs: null })).lateMs).toBeNull();
});

describe("columns of limiter operations", () => {
  const ops = [
    makeLimitOp(1, 5, 20, { usedTokens: 2010, promptTokens: 2000, cachedTokens: 1900, completionTokens: 10 }),
    makeLimitOp(2, 30, 50, { lateMs: 12 }),
    makeLimitOp(3, 40, 60, { lateMs: null }),
  ];

  it("hold each operation whole", () => {
    expect(unpackOps(packOps(ops), 3)).toEqual(ops);
  });

  it("are read where an earlier version wrote them, which kept neither cached tokens nor lateness", () => {
    const { cachedTokens: _later, late: _too, ...earlier } = packOps(ops);
    expect(unpackOps(earlier, 3)).toEqual(ops.map((op) => ({ ...op, cachedTokens: null, lateMs: null })));
    const { usedTokens: _lost, ...spoiled } = packOps(ops);
    expect(() => unpackOps(spoiled, 3)).toThrow("usedTokens");
  });
});
