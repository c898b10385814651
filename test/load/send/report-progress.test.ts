import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { reportProgress } from "../../../src/load/send/report-progress.ts";
import { createSecondSeries, taintBounds } from "../../../src/load/generator/second-series.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";

/** Lets nothing else run, so that no timer can look at the loop. */
function block(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe("the health of the loop that sends", () => {
  it("taints the seconds in which a blocked loop could not look at itself, the last ones included", async () => {
    const clock = createRealClock();
    const startMs = clock.nowMs();
    const series = createSecondSeries(startMs);
    const told: number[] = [];
    const live = reportProgress({
      profile: "blocked",
      clock,
      series,
      startMs,
      durationMs: 2000,
      takeAnswers: () => ({ succeeded: 0, limited: 0, clientErrors: 0, serverErrors: 0, unanswered: 0 }),
      onProgress: () => {},
      onHealth: ({ second }) => told.push(second),
    });
    await pause(300);
    block(1900);
    const samples = live.stop();
    expect(samples.map(({ second }) => second)).toEqual([0, 1, 2]);
    expect(told).toEqual([0, 1, 2]);
    for (const { loopDelayMaxMs } of samples) expect(loopDelayMaxMs).toBeGreaterThan(1000);
    expect(series.seconds().map(({ tainted }) => tainted)).toEqual([true, true, true]);
    expect(taintBounds.loopDelayMs).toBeLessThan(1000);
  });
});
