import type { Clock } from "../../core/clock.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Random } from "../../core/random.ts";
import type { SearchShape } from "../arrivals/arrival-kind.ts";
import { shapeOf } from "../arrivals/arrival-kinds.ts";
import { type ConversationTally, sendClosedLoop, sendOpenLoop, type SendLoopInput } from "./send-loops.ts";
import type { LoadEngine } from "./load-engine.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { createClockPacer, createWorkerPacer } from "./pacer.ts";
import type { LoadPlan } from "../plan/plan-load.ts";
import { permittedRps } from "../plan/profile-blockers.ts";
import { createLoneBarrier, type RateBarrier } from "./rate-barrier.ts";
import type { RecordStore } from "../samples/record-store.ts";
import { dealSends, type Share } from "../arrivals/share.ts";
import { abortionOf, isWaited } from "./waits.ts";

export interface SendArrivalsInput {
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
  /** Of the workers that send a search together. */
  readonly barrier?: RateBarrier;
  readonly virtualTime?: boolean;
}

export interface SentArrivals {
  /** Requests of this share that were planned, every turn of a conversation one. */
  readonly planned: number;
  /** Conversations of this share that were planned, and how they ended so far; null where the profile has none. */
  readonly conversations: { readonly planned: number; readonly tally: ConversationTally } | null;
  /** End of the measured window on the run clock. */
  readonly toMs: number;
  /** Rates that a search asked for and that ran to their end. */
  readonly rates: readonly number[];
}

/** Sends a share of a profile: by schedule, as a closed loop, or rate by rate. Resolves when its window is over. */
export async function sendArrivals(input: SendArrivalsInput): Promise<SentArrivals> {
  const { profile, clock, engine, startMs, plan, share, random } = input;
  const shape = shapeOf(profile.arrivals);
  const pacer = input.virtualTime === true ? createClockPacer(clock, () => settle(input)) : createWorkerPacer(clock);
  const endMs = startMs + 1000 * (profile.warmUpSeconds + profile.durationSeconds);
  const allowedRps = permittedRps(input.manifest);
  const tally: ConversationTally = { begun: 0, completed: 0, cancelled: 0 };
  const base = {
    conversations: tally,
    engine,
    pacer,
    clock,
    random,
    untilMs: endMs,
    leastGapMs: allowedRps === null ? 0 : (1000 * share.count) / allowedRps,
    firstIndex: share.index,
    indexStep: share.count,
  };
  switch (shape.name) {
    case "loop":
      await sendClosedLoop({ ...base, startMs }, shape);
      return { planned: engine.issued, conversations: null, toMs: endMs, rates: [] };
    case "open":
    case "conversations": {
      const sends = dealSends(plan.sends, share);
      await sendOpenLoop({ ...base, startMs }, sends, shape);
      if (input.virtualTime === true) await settle(input);
      const overMs = Math.min(endMs, startMs + (plan.sends.at(-1)?.atMs ?? 0) + 1000);
      await isWaited(clock, overMs - clock.nowMs(), engine.stopped);
      const planned = sends.reduce((sum, { turns }) => sum + turns, 0);
      const conversations =
        shape.name === "conversations" ? { planned: sends.filter(({ session }) => session !== null).length, tally } : null;
      const planEndMs = startMs + plan.durationMs;
      const isOver = shape.name === "conversations" && shape.endsEarly === true;
      return { planned, conversations, toMs: isOver ? Math.min(planEndMs, clock.nowMs()) : planEndMs, rates: [] };
    }
    case "search": {
      const search = await driveSearch({ ...base, startMs }, input, shape);
      return { ...search, conversations: null, toMs: clock.nowMs() };
    }
    default:
      return shape satisfies never;
  }
}

/**
 * Rate by rate. Every worker of a group runs the same search: it gets the verdict over the records of all, so that all come to
 * the same next rate.
 */
async function driveSearch(
  base: SendLoopInput,
  input: SendArrivalsInput,
  shape: SearchShape,
): Promise<Omit<SentArrivals, "toMs" | "conversations">> {
  const { clock, engine, share, random, store } = input;
  const barrier = input.barrier ?? createLoneBarrier(clock);
  const lengthMs = 1000 * shape.secondsPerRate;
  const stopped = abortionOf(engine.stopped);
  let scheduled = 0;
  let planned = 0;
  const steps = await shape.search(async (ratePerSecond, step) => {
    const schedule = shape.schedule(ratePerSecond, step, random.fork(`rate/${step}`));
    const sends = dealSends(schedule, share);
    const stepStartMs = await Promise.race([barrier.begin(), stopped]);
    if (stepStartMs === null) return null;
    const seen = store.records.length;
    await sendOpenLoop({ ...base, startMs: stepStartMs, firstIndex: scheduled + share.index }, sends, shape);
    scheduled += schedule.length;
    planned += sends.length;
    if (!(await isWaited(clock, stepStartMs + lengthMs - clock.nowMs(), engine.stopped))) return null;
    // The next rate must not inherit the queue of this one.
    await settle(input);
    const records = store.records.slice(seen).filter((record) => record.step === step);
    return Promise.race([barrier.judge({ ratePerSecond, lengthMs, records }), stopped]);
  });
  return { planned, rates: steps.map((step) => step.asked ?? step.offered) };
}

function settle({ engine, profile }: SendArrivalsInput): Promise<void> {
  return engine.idle(1000 * profile.timeoutSeconds);
}
