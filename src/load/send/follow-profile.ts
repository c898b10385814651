import type { RecordWatch } from "./early-end.ts";
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

/** Counts what came back, for the live view: a few additions an answer instead of an event. It never ends the profile. */
interface AnswerCounter extends RecordWatch {
  /** Counts since the call before. */
  readonly take: () => AnswerCounts;
}

export function countAnswers(): AnswerCounter {
  const none = { succeeded: 0, limited: 0, clientErrors: 0, serverErrors: 0, unanswered: 0 };
  let counts = { ...none };
  return {
    observe({ outcome, status }) {
      if (outcome === "not-sent" || outcome === "interrupted") return null;
      if (outcome === "transport-error" || status === null) counts.unanswered += 1;
      else if (status === 429) counts.limited += 1;
      // Also a stream that began well and broke.
      else if (outcome === "server-error") counts.serverErrors += 1;
      else if (status >= 400) counts.clientErrors += 1;
      else counts.succeeded += 1;
      return null;
    },
    take() {
      const taken = counts;
      counts = { ...none };
      return taken;
    },
  };
}
