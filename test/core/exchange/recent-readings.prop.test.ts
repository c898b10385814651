import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import { answered } from "../../make/load/exchange-fixture.ts";
import { RecentReadings } from "../../../src/core/exchange/bodies/body-readings.ts";

describe("readings of wide answers", () => {
  it("stay within their bytes, and the last one always stays", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 60 })), { minLength: 1 }), (steps) => {
        const sizes = new Map<number, number>();
        const readings = Array.from({ length: 10 }, (_, at) => ({ at }));
        const recent = new RecentReadings<{ at: number }>(50, ({ at }) => sizes.delete(at));
        for (const [at, bytes] of steps) {
          if (!sizes.has(at)) sizes.set(at, bytes);
          recent.keep(readings[at] ?? { at }, bytes);
          expect(sizes.has(at)).toBe(true);
          const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
          expect(sizes.size === 1 || total <= 50).toBe(true);
        }
      }),
    );
  });

  it("are read anew, and equal, where they were forgotten", () => {
    const wide = Array.from({ length: 60 }, (_, at) =>
      factsOf(answered(200, { at, data: Array.from({ length: 40_000 }, () => at) })),
    );
    const first = wide[0]?.responseJson;
    for (const facts of wide) expect(facts.responseObject?.["at"]).toBe(wide.indexOf(facts));
    const again = wide[0]?.responseJson;
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
    expect(wide[0]?.responseJson).toBe(again);
  });
});
