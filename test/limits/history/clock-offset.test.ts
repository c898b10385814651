import { describe, expect, it } from "vitest";
import { type DatedOp, measureClockOffset } from "../../../src/limits/history/clock-offset.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";

const startMs = Date.UTC(2026, 9, 14, 9, 0, 0);

/** Ten exchanges of a second each; Date is ahead of the time here by `skewMs`. */
function dated(skewMs: number, ownOffsetMs: number | undefined): readonly DatedOp[] {
  return Array.from({ length: 10 }, (_, index) => {
    const sentMs = index * 1000 + 400;
    const dateMs = Math.floor((startMs + sentMs + skewMs) / 1000) * 1000;
    return { dateMs, cached: false, sentMs, headersMs: sentMs + 5, ...(ownOffsetMs === undefined ? {} : { ownOffsetMs }) };
  });
}

describe("the offset of the service's clock", () => {
  it.each([-90_000, -5000, 90_000])("holds both clocks where Date is off by %i ms, because either may be right", (skewMs) => {
    const offset = measureClockOffset(dated(skewMs, startMs), defaultTolerances);
    expect(offset?.split).toBe(false);
    expect(offset?.lowMs).toBeLessThanOrEqual(startMs + Math.min(0, skewMs));
    expect(offset?.highMs).toBeGreaterThanOrEqual(startMs + Math.max(0, skewMs));
  });

  it("is that of Date alone where the clock here is off by an hour, or not known", () => {
    const alone = measureClockOffset(dated(0, undefined), defaultTolerances);
    expect(measureClockOffset(dated(0, startMs + 3_600_000), defaultTolerances)).toEqual(alone);
    expect((alone?.highMs ?? 0) - (alone?.lowMs ?? 0)).toBeLessThan(3000);
  });
});
