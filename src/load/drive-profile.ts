import type { Clock } from "../core/clock.ts";
import type { LoadProfileResult, LoadStep } from "../core/load-result.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Random } from "../core/random.ts";
import { rateSchedule } from "./arrival-schedule.ts";
import { driveClosedLoop, driveOpenLoop } from "./drive-load.ts";
import type { LoadEngine } from "./load-engine.ts";
import type { LoadProfile, PlannedSend } from "./load-profile.ts";
import { createClockPacer, createWorkerPacer, type Pacer } from "./pacer.ts";
import type { LoadPlan } from "./plan-load.ts";
import { permittedRps } from "./profile-blockers.ts";
import type { RecordStore } from "./record-store.ts";
import { searchRates } from "./search-rates.ts";
import { dealSends, type Share } from "./share.ts";
import { summarizeStep } from "./summarize-load.ts";

export interface DriveProfileInput {
  /** As this share sends it. */
  readonly profile: LoadProfile;
  /** Of the whole profile. */
  readonly plan: LoadPlan;
  readonly share: Share;
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly engine: LoadEngine;
  readonly store: RecordStore;
  readonly random: Random;
  readonly startMs: number;
  readonly pacer?: Pacer;
  readonly virtualTime?: boolean;
}

/** The pacer's thread needs a moment to start; nothing is due before it runs. */
export const startLeadMs = 200;

export interface Driven {
  /** Sends of this share that were planned. */
  readonly planned: number;
  /** End of the measured window on the run clock. */
  readonly toMs: number;
  readonly steps: readonly LoadStep[];
  readonly knee: LoadProfileResult["knee"];
}

/** Sends a share of a profile: by schedule, as a closed loop, or rate by rate. Resolves when its window is over. */
export async function driveProfile(input: DriveProfileInput): Promise<Driven> {
  const { profile, clock, engine, startMs, plan, share, random } = input;
  const { arrivals } = profile;
  const settle = (): Promise<void> => engine.idle(1000 * profile.timeoutSeconds);
  const pacer = input.pacer ?? (input.virtualTime === true ? createClockPacer(clock, settle) : createWorkerPacer(clock));
  const endMs = startMs + 1000 * (profile.warmUpSeconds + profile.durationSeconds);
  const allowedRps = permittedRps(input.manifest);
  const base = {
    engine,
    pacer,
    clock,
    random,
    untilMs: endMs,
    leastGapMs: allowedRps === null ? 0 : (1000 * share.count) / allowedRps,
    firstIndex: share.index,
    indexStep: share.count,
  };
  if (arrivals.kind === "closed") {
    await driveClosedLoop({ ...base, startMs }, arrivals);
    return { planned: input.store.records.length, toMs: endMs, steps: [], knee: null };
  }
  if (arrivals.kind !== "sweep" && arrivals.kind !== "bisect") {
    const sends = dealSends(plan.sends, share);
    await driveOpenLoop({ ...base, startMs }, sends, arrivals);
    if (input.virtualTime === true) await settle();
    await waitUntil(clock, Math.min(endMs, startMs + lastInstant(plan.sends) + 1000), engine.stopped);
    return { planned: sends.length, toMs: startMs + plan.durationMs, steps: [], knee: null };
  }
  if (share.count > 1) throw new RangeError("a search decides after every rate and cannot be shared by several loops");
  const seconds = arrivals.kind === "sweep" ? arrivals.secondsPerRate : arrivals.secondsPerProbe;
  let planned = 0;
  const search = await searchRates(arrivals, async (rate, step) => {
    const schedule = rateSchedule(rate, seconds, arrivals.gaps, random.fork(`rate/${step}`), step);
    const stepStartMs = clock.nowMs() + startLeadMs;
    const seen = input.store.records.length;
    await driveOpenLoop({ ...base, startMs: stepStartMs, firstIndex: planned }, schedule, arrivals);
    planned += schedule.length;
    await waitUntil(clock, stepStartMs + 1000 * seconds, engine.stopped);
    if (engine.stopped.aborted) return null;
    // The next rate must not inherit the queue of this one.
    await settle();
    const records = input.store.records.slice(seen).filter((record) => record.step === step);
    return summarizeStep(records, rate, 1000 * seconds, leastGoodFraction);
  });
  return { planned, toMs: clock.nowMs(), steps: search.steps, knee: search.knee };
}

/** A rate is held when this share of its requests meets the service level. */
const leastGoodFraction = 0.95;

function lastInstant(plan: readonly PlannedSend[]): number {
  return plan.at(-1)?.atMs ?? 0;
}

async function waitUntil(clock: Clock, atMs: number, signal: AbortSignal): Promise<void> {
  const waitMs = atMs - clock.nowMs();
  if (waitMs <= 0 || signal.aborted) return;
  try {
    await clock.sleep(waitMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
