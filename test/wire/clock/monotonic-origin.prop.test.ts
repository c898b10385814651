import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { monotonicOriginMs } from "../../../src/wire/clock/monotonic-origin.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";

describe("the origin of a clock on the clock of the machine", () => {
  it("is found where the thread stands still between most readings", () => {
    const stalls = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(stalls, fc.integer({ min: -1e6, max: 1e6 }), (stallsMs, originMs) => {
        let machineMs = 1000;
        let readings = 0;
        const read = (): number => {
          machineMs += stallsMs[readings] ?? 0.0001;
          readings += 1;
          return machineMs;
        };
        expect(Math.abs(monotonicOriginMs(() => read() - originMs, read) - originMs)).toBeLessThan(0.001);
      }),
    );
  });

  it("is where a clock of this process began", () => {
    const beforeMs = Number(process.hrtime.bigint()) / 1e6;
    const clock = createRealClock();
    const afterMs = Number(process.hrtime.bigint()) / 1e6;
    const originMs = monotonicOriginMs(() => clock.nowMs());
    expect(originMs).toBeGreaterThan(beforeMs - 0.01);
    expect(originMs).toBeLessThan(afterMs + 0.01);
  });
});
