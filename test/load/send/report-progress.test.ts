import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { reportProgress } from "../../../src/load/send/report-progress.ts";
import { createSecondSeries, taintBounds } from "../../../src/load/generator/second-series.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { holdThread } from "../../make/hold-thread.ts";

describe("the health of the loop that sends", () => {
  it("covers every second in which something was sent where the clock leaps, and no others of a long leap", async () => {
    const real = createRealClock();
    let leaptMs = 0;
    const clock = { ...real, nowMs: () => real.nowMs() + leaptMs };
    const startMs = clock.nowMs();
    const series = createSecondSeries(startMs);
    const live = reportProgress({
      profile: "leaping",
      clock,
      series,
      startMs,
      durationMs: 2000,
      takeAnswers: () => ({ succeeded: 0, limited: 0, clientErrors: 0, serverErrors: 0, unanswered: 0 }),
      onProgress: () => {},
    });
    for (let turn = 0; turn < 3; turn += 1) {
      series.sent(clock.nowMs());
      series.left(clock.nowMs());
      leaptMs += 100_000;
      await pause(10);
    }
    const seconds = live.stop().map(({ second }) => second);
    expect(seconds).toEqual(expect.arrayContaining([0, 100, 200]));
    expect(seconds.length).toBeLessThan(20);
    const active = series.seconds().filter(({ sent }) => sent > 0);
    expect(active.map(({ second }) => second)).toEqual([0, 100, 200]);
    for (const { loopDelayMaxMs, tainted } of active) expect([loopDelayMaxMs, tainted]).toEqual([expect.any(Number), false]);
  });

  it("is not known of a second in which nobody looked, which is tainted where requests were under way", () => {
    const series = createSecondSeries(0);
    series.sent(500);
    series.left(600);
    series.health({ second: 0, loopUtilization: 0.1, loopDelayMaxMs: 2, runDelayMs: null });
    series.sent(1500);
    series.left(1600);
    series.due(2500);
    expect(
      series.seconds().map(({ loopDelayMaxMs, loopUtilization, tainted }) => [loopDelayMaxMs, loopUtilization, tainted]),
    ).toEqual([
      [2, 0.1, false],
      [null, null, true],
      [null, null, false],
    ]);
  });

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
    holdThread(1900);
    const samples = live.stop();
    expect(samples.map(({ second }) => second)).toEqual([0, 1, 2]);
    expect(told).toEqual([0, 1, 2]);
    for (const { loopDelayMaxMs } of samples) expect(loopDelayMaxMs).toBeGreaterThan(1000);
    expect(samples.reduce((sum, { heldMs }) => sum + (heldMs ?? 0), 0)).toBeGreaterThan(1800);
    expect(series.seconds().map(({ tainted }) => tainted)).toEqual([true, true, true]);
    expect(taintBounds.loopDelayMs).toBeLessThan(1000);
  });
});
