import type { Clock } from "../../core/clock.ts";
import type { AnswerCounts, OnProgress } from "../../core/progress.ts";
import { watchGenerator, type HealthSecond } from "../generator/generator-health.ts";
import type { SecondSeries } from "../samples/second-series.ts";

export interface FollowInput {
  readonly profile: string;
  readonly clock: Clock;
  readonly series: SecondSeries;
  /** Start of the schedule on the run clock. */
  readonly startMs: number;
  readonly durationMs: number;
  /** Answers since the last call. */
  readonly takeAnswers: () => AnswerCounts;
  readonly onProgress: OnProgress;
  readonly onHealth?: (sample: HealthSecond) => void;
}

/** Events of progress per second; every one costs a few counters, however many answers there were. */
const ticksPerSecond = 4;

/** Samples the generator once a second and reports the progress of a profile four times a second, until stopped. */
export function followProfile(input: FollowInput): { stop(): readonly HealthSecond[] } {
  const { clock, series, startMs } = input;
  const monitor = watchGenerator();
  const samples: HealthSecond[] = [];
  let latest = series.latest(0);
  const sample = (): void => {
    const second = Math.max(0, Math.round((clock.nowMs() - startMs) / 1000) - 1);
    const health = monitor.sample(second);
    samples.push(health);
    input.onHealth?.(health);
    series.health(health);
    // Percentiles of a second sort its values: once, not at every tick.
    latest = series.latest(second);
  };
  const report = (): void => {
    input.onProgress({
      kind: "load",
      profile: input.profile,
      elapsedMs: clock.nowMs() - startMs,
      durationMs: input.durationMs,
      offeredPerSecond: latest.offered,
      achievedPerSecond: latest.sent,
      inFlight: series.inFlight(),
      ttftP50: latest.ttftP50,
      ttftMax: latest.ttftMax ?? null,
      dispatchDelayMax: latest.dispatchDelayMax ?? null,
      loopUtilization: samples.at(-1)?.loopUtilization ?? 0,
      answers: input.takeAnswers(),
    });
  };
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks % ticksPerSecond === 0) sample();
    report();
  }, 1000 / ticksPerSecond);
  return {
    stop() {
      clearInterval(timer);
      if (samples.length === 0) sample();
      monitor.stop();
      // What came after the last tick belongs to the sum.
      report();
      return samples;
    },
  };
}
