import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBench, modelsWork, startMs } from "./engine-bench.ts";
import { runsOf } from "../../make/runner/sample.ts";

interface Setting {
  readonly burst: number;
  readonly cooldownSeconds: number;
}

const settings = fc.record({ burst: fc.integer({ min: 1, max: 6 }), cooldownSeconds: fc.constantFrom(1, 5, 59, 60, 61, 90) });
const pauses = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 70_000 })), {
  minLength: 1,
  maxLength: 40,
});

/** The rule in its plainest form: whole past, no state but the instant from which admissions count. */
function naiveDecisions({ burst, cooldownSeconds }: Setting, instants: readonly number[]): readonly boolean[] {
  let counted: number[] = [];
  let coolsUntilMs = -Infinity;
  return instants.map((nowMs) => {
    if (nowMs < coolsUntilMs) return false;
    if (coolsUntilMs > -Infinity) {
      counted = [];
      coolsUntilMs = -Infinity;
    }
    counted.push(nowMs);
    if (counted.filter((atMs) => atMs > nowMs - 60_000).length >= burst) coolsUntilMs = nowMs + cooldownSeconds * 1000;
    return true;
  });
}

function accumulate(steps: readonly number[]): readonly number[] {
  let atMs = startMs;
  return steps.map((pauseMs) => (atMs += pauseMs));
}

describe("cooldown", () => {
  it("decides as its plainest form does", async () => {
    await fc.assert(
      fc.asyncProperty(settings, pauses, async (setting, steps) => {
        const bench = createBench();
        bench.set("examBurst", { burst_limit: setting.burst, cooldown_seconds: setting.cooldownSeconds });
        const decided: boolean[] = [];
        for (const pauseMs of steps) {
          await bench.clock.advance(pauseMs);
          decided.push((await bench.outcome("examBurst", modelsWork)) === "ok");
        }
        expect(decided).toEqual(naiveDecisions(setting, accumulate(steps)));
      }),
      { numRuns: runsOf(60) },
    );
  });

  it("serves a queue completely, in order, never more than the allowance per cooldown", async () => {
    await fc.assert(
      fc.asyncProperty(settings, pauses, async (setting, steps) => {
        const bench = createBench([], { queueCapacity: 1000 });
        bench.set("examBurstQueue", { burst_limit: setting.burst, cooldown_seconds: setting.cooldownSeconds });
        const served: { readonly index: number; readonly atMs: number }[] = [];
        const ask = async (index: number): Promise<void> => {
          await bench.send("examBurstQueue", modelsWork);
          served.push({ index, atMs: bench.clock.wallMs() });
        };
        const asked: Promise<void>[] = [];
        for (const [index, pauseMs] of steps.entries()) {
          await bench.clock.advance(pauseMs);
          asked.push(ask(index));
        }
        await bench.clock.advance(steps.length * (setting.cooldownSeconds + 60) * 1000);
        await Promise.all(asked);
        expect(served.map(({ index }) => index)).toEqual(steps.map((_, index) => index));
        for (const [position, { atMs }] of served.entries()) {
          const laterMs = served[position + setting.burst]?.atMs ?? Infinity;
          expect(laterMs - atMs).toBeGreaterThanOrEqual(Math.min(setting.cooldownSeconds, 60) * 1000);
        }
      }),
      { numRuns: runsOf(40) },
    );
  });
});
