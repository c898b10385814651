import type { RateLevels, LoopLevels, SearchShape } from "../arrivals/arrival-kind.ts";
import type { LoadStep } from "../../core/result/load-result.ts";
import type { TriedLevel } from "../judge/summarize-step.ts";
import type { SearchTrial } from "../capacity/search-trial.ts";
import { plannedSend } from "../profile/planned-send.ts";
import { leadingGates } from "../gates/leading-gates.ts";
import { dealSends, portion } from "../arrivals/share.ts";
import { createLoneBarrier } from "./rate-barrier.ts";
import type { SendArrivalsInput, SentArrivals } from "./send-arrivals-input.ts";
import { sendClosedLoop, sendOpenLoop, type SendLoopInput } from "./send-loops.ts";
import { abortionOf, isWaited } from "./waits.ts";

export interface SearchInput {
  readonly base: SendLoopInput;
  readonly input: SendArrivalsInput;
  readonly shape: SearchShape;
  /** Resolves when nothing is in flight: a level must not inherit the queue of the one before. */
  readonly settle: () => Promise<void>;
}

/** `step`: how many were sent before it. `place`: the same without those that were tried again. */
interface Attempt {
  readonly trial: SearchTrial;
  readonly step: number;
  readonly place: number;
}

/** One trial, from its start: how long it took, or null when it was stopped. */
type SendTrial = (attempt: Attempt, startMs: number) => Promise<number | null>;

/**
 * Level by level. Every worker of a group runs the same search: it gets the verdict over the records of all, so that all come to
 * the same next level.
 */
export async function driveSearch(search: SearchInput): Promise<Omit<SentArrivals, "toMs" | "conversations">> {
  const { input, shape, settle } = search;
  const { clock, engine, store, profile } = input;
  const barrier = input.barrier ?? createLoneBarrier(clock);
  const stopped = abortionOf(engine.stopped);
  const gates = leadingGates(profile);
  const rates: number[] = [];
  const lengthsMs: number[] = [];
  const replacedSteps: number[] = [];
  const { levels } = shape;
  const sent = { numbers: 0, planned: 0 };
  const send = levels.of === "rate" ? ratesOf(search, levels, sent) : loopsOf(search, levels, sent);
  const tryOnce = async (attempt: Attempt): Promise<{ readonly tried: TriedLevel; readonly judged: LoadStep } | null> => {
    const { trial, step } = attempt;
    const startMs = await Promise.race([barrier.begin(), stopped]);
    if (startMs === null) return null;
    const seen = store.records.length;
    const lengthMs = await send(attempt, startMs);
    if (lengthMs === null) return null;
    await settle();
    const records = store.records.slice(seen).filter((record) => record.step === step);
    const level = levels.of === "rate" ? { ratePerSecond: trial.level } : { concurrency: trial.level };
    const tried = { ...level, ...(gates === null ? {} : { gates }), lengthMs, records };
    const judged = await Promise.race([barrier.judge(tried), stopped]);
    if (judged === null) return null;
    rates.push(judged.concurrency ?? judged.asked ?? judged.offered);
    lengthsMs.push(1000 * (judged.seconds ?? 0));
    return { tried, judged };
  };
  await shape.search(async (trial, place) => {
    for (let before: number | null = null; ;) {
      const step = rates.length;
      const outcome = await tryOnce({ trial, step, place });
      if (outcome === null) return null;
      // One that could not be tried to its end again stays.
      if (before !== null) replacedSteps.push(before);
      if (input.levelRepeats?.again(outcome.tried, outcome.judged) !== true) return outcome.judged;
      before = step;
    }
  });
  return { planned: sent.planned, rates, lengthsMs, ...(replacedSteps.length > 0 && { replacedSteps }) };
}

interface Sent {
  /** Numbers of requests that are used up, so that every body of the run is its own. */
  numbers: number;
  planned: number;
}

function ratesOf({ base, input, shape }: SearchInput, levels: RateLevels, sent: Sent): SendTrial {
  const { share, random, engine, clock } = input;
  return async ({ trial, step, place }, startMs) => {
    const schedule = levels.schedule(trial, step, random.fork(`rate/${place}`));
    const sends = dealSends(schedule, share);
    await sendOpenLoop({ ...base, startMs, firstIndex: sent.numbers + share.index }, sends, shape);
    sent.numbers += schedule.length;
    sent.planned += sends.length;
    const lengthMs = 1000 * trial.seconds;
    return (await isWaited(clock, startMs + lengthMs - clock.nowMs(), engine.stopped)) ? lengthMs : null;
  };
}

function loopsOf({ base, input }: SearchInput, levels: LoopLevels, sent: Sent): SendTrial {
  const { share, engine, store } = input;
  return async ({ trial, step }, startMs) => {
    const whole = levels.loop(trial);
    const loop = { ...whole, concurrency: portion(whole.concurrency, share) };
    const before = engine.issued;
    const seen = store.records.length;
    const untilMs = startMs + 1000 * trial.seconds;
    const most = trial.requests === undefined ? Infinity : portion(trial.requests, share);
    const firstIndex = sent.numbers + share.index;
    await sendClosedLoop({ ...base, startMs, untilMs, firstIndex, plan: plannedSend(0, { step }), most }, loop);
    const issued = engine.issued - before;
    sent.planned += issued;
    sent.numbers += share.count * issued;
    if (engine.stopped.aborted) return null;
    const records = store.records.slice(seen).filter((record) => record.step === step);
    return Math.max(0, ...records.map(({ intendedMs }) => intendedMs - startMs));
  };
}
