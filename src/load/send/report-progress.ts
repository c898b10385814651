import { performance } from "node:perf_hooks";
import type { RecordWatch } from "../samples/early-end.ts";
import type { Clock } from "../../core/clock.ts";
import type { AnswerCounts, OnProgress } from "../../core/progress.ts";
import { watchGenerator, type HealthSecond } from "../generator/generator-health.ts";
import type { SecondSeries } from "../generator/second-series.ts";

export interface ReportProgressInput {
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

const tickMs = 1000 / ticksPerSecond;

/** Samples the generator once a second and reports the progress of a profile four times a second, until stopped. */
export function reportProgress(input: ReportProgressInput): { stop(): readonly HealthSecond[] } {
  const { clock, series, startMs } = input;
  const monitor = watchGenerator();
  const samples: HealthSecond[] = [];
  let latest = series.latest(0);
  let nextSecond = 0;
  let tickedAtMs = performance.now();
  let longestGapMs = 0;
  /** How much later than it should this loop came to look at itself: a loop that is blocked takes no samples. */
  const noteGap = (): void => {
    const nowMs = performance.now();
    longestGapMs = Math.max(longestGapMs, nowMs - tickedAtMs - tickMs);
    tickedAtMs = nowMs;
  };
  const sample = (lastSecond: number): void => {
    const seen = monitor.sample();
    const loopDelayMaxMs = Math.max(seen.loopDelayMaxMs, longestGapMs);
    longestGapMs = 0;
    // A second that was not looked at by itself was as bad as all that lies between two samples. The run clock may be virtual and leap: of
    // more seconds than passed, those count in which there was something.
    const passed = Math.ceil(seen.windowMs / 1000);
    const seconds = secondsBetween(Math.min(nextSecond, lastSecond), lastSecond).filter(
      (second) => second >= lastSecond - passed || series.isActive(second),
    );
    const { loopUtilization } = seen;
    const runDelayMs = seen.runDelayMs === null ? null : seen.runDelayMs / seconds.length;
    const heldMs = (seen.heldMs ?? seen.windowMs) / seconds.length;
    for (const second of seconds) {
      const health = { second, loopUtilization, loopDelayMaxMs, runDelayMs, heldMs };
      samples.push(health);
      input.onHealth?.(health);
      series.health(health);
    }
    nextSecond = Math.max(nextSecond, lastSecond + 1);
    // Percentiles of a second sort its values: once, not at every tick.
    latest = series.latest(lastSecond);
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
    noteGap();
    if (ticks % ticksPerSecond === 0) sample(Math.max(0, Math.round((clock.nowMs() - startMs) / 1000) - 1));
    report();
  }, tickMs);
  return {
    stop() {
      clearInterval(timer);
      noteGap();
      // The second that is running, and those that a blocked loop did not look at.
      const runningSecond = Math.max(0, Math.floor((clock.nowMs() - startMs) / 1000));
      if (runningSecond >= nextSecond) sample(runningSecond);
      monitor.stop();
      // Requests after the last tick belong to the sum.
      report();
      return samples;
    },
  };
}

function secondsBetween(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
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
      if (outcome === "not-sent" || outcome === "interrupted" || outcome === "left") return null;
      if (outcome === "transport-error" || outcome === "timed-out" || status === null) counts.unanswered += 1;
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
