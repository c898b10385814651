import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ServiceClock } from "../../../src/reference/clock/service-clock.ts";
import { startMs } from "../engine/engine-bench.ts";
import { runsOf } from "../../make/runner/sample.ts";

describe("timers of the service clock", () => {
  it("fire once each, sorted by instant and then by setting, unless cancelled; however time is cut into advances", async () => {
    const timers = fc.array(fc.record({ inMs: fc.integer({ min: -5, max: 60 }), cancelled: fc.boolean() }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(timers, fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 6 }), async (planned, advances) => {
        const clock = new ServiceClock({ kind: "manual", startMs });
        const fired: { readonly index: number; readonly atMs: number }[] = [];
        const set = planned.map(({ inMs }, index) =>
          clock.at(startMs + inMs, () => fired.push({ index, atMs: clock.wallMs() - startMs })),
        );
        for (const [index, { cancelled }] of planned.entries()) if (cancelled) set[index]!.cancel();
        for (const ms of advances) await clock.advance(ms);
        await clock.advance(0);
        const reachedMs = advances.reduce((sum, ms) => sum + ms, 0);
        const due = planned
          .map(({ inMs, cancelled }, index) => ({ index, inMs, cancelled }))
          .filter(({ inMs, cancelled }) => !cancelled && inMs <= reachedMs)
          .toSorted((a, b) => a.inMs - b.inMs || a.index - b.index);
        expect(fired).toEqual(due.map(({ index, inMs }) => ({ index, atMs: Math.max(inMs, 0) })));
        clock.close();
      }),
      { numRuns: runsOf(100) },
    );
  });
});
