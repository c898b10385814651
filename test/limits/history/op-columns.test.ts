import { describe, expect, it } from "vitest";
import { packOps, unpackOps } from "../../../src/limits/history/op-columns.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";

describe("columns of limiter operations", () => {
  const ops = [
    makeLimitOp(1, 5, 20, { usedTokens: 2010, promptTokens: 2000, cachedTokens: 1900, completionTokens: 10 }),
    makeLimitOp(2, 30, 50),
  ];

  it("hold each operation whole", () => {
    expect(unpackOps(packOps(ops), 2)).toEqual(ops);
  });

  it("are read where an earlier version wrote them, which kept no cached tokens", () => {
    const { cachedTokens: _later, ...earlier } = packOps(ops);
    expect(unpackOps(earlier, 2)).toEqual(ops.map((op) => ({ ...op, cachedTokens: null })));
    const { usedTokens: _lost, ...spoiled } = packOps(ops);
    expect(() => unpackOps(spoiled, 2)).toThrow("usedTokens");
  });
});
