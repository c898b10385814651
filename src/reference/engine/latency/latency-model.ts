import type { Random } from "../../../core/random.ts";
import type { ServiceClock } from "../../clock/service-clock.ts";
import type { LatencyPreset } from "./latency-preset.ts";

/** A piece of work that has to be computed. */
export type Job =
  | { readonly kind: "tokens"; readonly promptTokens: number; readonly completionTokens: number }
  | { readonly kind: "images"; readonly count: number; /** 1 for the smallest picture. */ readonly effort: number }
  | { readonly kind: "audio"; readonly seconds: number };

export type JobStart =
  | { readonly kind: "started"; readonly pace: Pace }
  /** Every slot is busy and the queue is full: 503. */
  | { readonly kind: "overloaded" }
  /** The client went away while waiting. */
  | { readonly kind: "abandoned" };

/**
 * Deadlines of one job, absolute on the service clock, so that late timers never add up. Sleep with
 * `clock.sleepUntil(pace.tokenAtMs(index))`. `release` must be called once, whatever happens.
 */
export interface Pace {
  readonly queuedMs: number;
  readonly startedAtMs: number;
  /** Instant of the token with this index, from 0; of an image or transcript for index 0. */
  tokenAtMs(index: number): number;
  /** Instant of the last token, or of the whole answer. */
  endAtMs(): number;
  /** Tokens that are due by now; what an aborted stream has produced. */
  producedBy(wallMs: number): number;
  /** Moves every token from `fromIndex` on: a stall. */
  stall(fromIndex: number, ms: number): void;
  release(): void;
}

export interface LatencyModel {
  preset(): LatencyPreset;
  setPreset(preset: LatencyPreset): void;
  /** Takes a slot, waiting in order of arrival. `random` decides the jitter of this job. */
  start(job: Job, random: Random, signal?: AbortSignal): Promise<JobStart>;
  /** Slots in use and jobs waiting. */
  load(): { readonly running: number; readonly waiting: number };
}

export function createLatencyModel(clock: ServiceClock, initial: LatencyPreset): LatencyModel {
  let preset = initial;
  let running = 0;
  /** Grants, to jobs that wait for a slot. */
  const queue: (() => void)[] = [];

  const grantSlots = (): void => {
    while (running < preset.slots && queue.length > 0) {
      running += 1;
      queue.shift()?.();
    }
  };
  const release = (): void => {
    running -= 1;
    grantSlots();
  };

  /** One slot for the caller; false when the client left first. */
  const waitForSlot = (signal: AbortSignal | undefined): Promise<boolean> =>
    new Promise((resolve) => {
      const grant = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve(true);
      };
      const leave = (): void => {
        queue.splice(queue.indexOf(grant), 1);
        resolve(false);
      };
      signal?.addEventListener("abort", leave, { once: true });
      queue.push(grant);
    });

  return {
    preset: () => preset,
    setPreset: (next) => {
      preset = next;
      grantSlots();
    },
    load: () => ({ running, waiting: queue.length }),
    start: async (job, random, signal) => {
      if (signal?.aborted === true) return { kind: "abandoned" };
      const arrivedMs = clock.wallMs();
      if (running < preset.slots && queue.length === 0) running += 1;
      else if (queue.length >= preset.maxQueue) return { kind: "overloaded" };
      else if (!(await waitForSlot(signal))) return { kind: "abandoned" };
      return { kind: "started", pace: createPace(job, preset, random, running, arrivedMs, clock.wallMs(), release) };
    },
  };
}

function createPace(
  job: Job,
  preset: LatencyPreset,
  random: Random,
  running: number,
  arrivedMs: number,
  startedAtMs: number,
  release: () => void,
): Pace {
  const load = preset.slots > 1 ? 1 + (preset.loadFactor - 1) * ((running - 1) / (preset.slots - 1)) : 1;
  const draw = (meanMs: number): number => meanMs * load * (1 + preset.jitter * clampedNormal(random));
  // Offsets are summed before any sleeping, so the plan itself cannot drift.
  const deadlines = jobDurations(job, preset).map(draw);
  for (let index = 0; index < deadlines.length; index += 1) {
    deadlines[index] = (deadlines[index - 1] ?? startedAtMs) + deadlines[index]!;
  }
  let released = false;
  const last = deadlines.length - 1;
  return {
    queuedMs: startedAtMs - arrivedMs,
    startedAtMs,
    tokenAtMs: (index) => deadlines[Math.min(index, last)]!,
    endAtMs: () => deadlines[last]!,
    producedBy: (wallMs) => {
      const pending = deadlines.findIndex((deadline) => deadline > wallMs);
      return pending < 0 ? deadlines.length : pending;
    },
    stall: (fromIndex, ms) => {
      for (let index = Math.max(fromIndex, 0); index < deadlines.length; index += 1) deadlines[index]! += ms;
    },
    release: () => {
      if (!released) release();
      released = true;
    },
  };
}

/** Mean time before each token or result; never empty. */
function jobDurations(job: Job, preset: LatencyPreset): number[] {
  if (job.kind === "images") return [preset.overheadMs + job.count * job.effort * preset.perImageMs];
  if (job.kind === "audio") return [preset.overheadMs + job.seconds * preset.perAudioSecondMs];
  const firstMs = preset.overheadMs + job.promptTokens * preset.perPromptTokenMs;
  return [firstMs, ...Array.from({ length: Math.max(job.completionTokens - 1, 0) }, () => preset.interTokenMs)];
}

/** Standard normal by Box and Muller, cut so that with a share of at most 0.3 a time keeps 0.3 of its mean. */
function clampedNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  const value = radius * Math.cos(2 * Math.PI * random.next());
  return Math.max(-7 / 3, Math.min(7 / 3, value));
}
