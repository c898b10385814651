import type { LoadStep } from "../../core/result/load-result.ts";
import type { Random } from "../../core/random.ts";
import { shapeOf } from "../arrivals/arrival-kinds.ts";
import { summarizeStep, type TriedLevel } from "../judge/summarize-step.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { type LoopDelays, rereadRecord } from "../samples/reread-record.ts";

/** Tries levels of a search again that say more of this machine than of the target. */
export interface LevelRepeats {
  /** Whether the level that was tried last is tried once more. */
  again(tried: TriedLevel, judged: LoadStep): boolean;
  /** The length of the levels that were tried again. */
  readonly seconds: number;
}

export interface LevelRepeatInput {
  readonly profile: LoadProfile;
  /** The one that the levels are drawn by. */
  readonly random: Random;
  /** Of the loop, as far as it was looked at. */
  readonly delays: () => LoopDelays;
  /** Requests of the profile until now, with whatever was sent again. */
  readonly sent: () => number;
  /** Whether the budget holds so many more. */
  readonly affords: (requests: number) => boolean;
}

/** A machine that is late for longer would be late again. */
const mostRepeats = 2;

/**
 * A level is tried again that could not be sent in time, or whose verdict the delays of the loop could have turned, or left open. Together with what was
 * sent until then it stays within what the plan announced for the levels until then: for each request a repetition after a closed connection.
 * Null: the profile is no such search. One for capacity asks its trials together, and bounds them by their number of requests.
 */
export function createLevelRepeats(input: LevelRepeatInput): LevelRepeats | null {
  const { profile, random, delays, sent, affords } = input;
  const shape = shapeOf(profile.arrivals);
  if (shape.name !== "search" || shape.nextTrial !== undefined) return null;
  const { levels, worstTrials, mostSeconds } = shape;
  const { max } = profile.retry;
  const isTurned = (tried: TriedLevel, { verdict }: LoadStep): boolean => {
    // Of one that is open only longer times were made by a delay, too.
    const end = verdict === "pass" ? "longest" : "shortest";
    const late = delays();
    const records = tried.records.map((record) => rereadRecord(record, end, late, profile.slo));
    return summarizeStep({ ...tried, records }).verdict !== verdict;
  };
  const announced = (count: number): number =>
    levels.of === "concurrency"
      ? Infinity
      : worstTrials.slice(0, count).reduce((sum, trial, place) => {
          return sum + (2 + max) * levels.schedule(trial, place, random.fork(`rate/${place}`)).length;
        }, 0);
  let [repeats, done, seconds] = [0, 0, 0];
  return {
    again(tried, judged) {
      const requests = (1 + max) * tried.records.filter(({ attempt }) => attempt === 1).length;
      const length = tried.lengthMs / 1000;
      // The time that a run has for a search holds it twice.
      const hasTime = repeats < mostRepeats && seconds + length <= mostSeconds;
      const isLate = judged.limitedBy === "generator" || isTurned(tried, judged);
      if (!isLate || !hasTime || requests > announced(done + 1) - sent() || !affords(requests)) {
        done += 1;
        return false;
      }
      repeats += 1;
      seconds += length;
      return true;
    },
    get seconds() {
      return seconds;
    },
  };
}
