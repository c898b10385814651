import type { Clock } from "../../core/clock.ts";
import type { LoadStep } from "../../core/result/load-result.ts";
import { startLeadMs } from "./pacer.ts";
import { summarizeStep, type TriedLevel } from "../judge/summarize-step.ts";

/**
 * The barrier at which the workers that share a search wait for each other: before a rate, so that all begin it at one instant,
 * and after it, for the one verdict over the records of all. Promises stay open when a worker was stopped meanwhile.
 */
export interface RateBarrier {
  /** Instant of the run clock at which this rate begins. */
  begin(): Promise<number>;
  /** The verdict on one rate of the search, given the figures of this worker; the rate is that of all workers together. */
  judge(probed: TriedLevel): Promise<LoadStep>;
}

/** For a search that one worker sends alone. */
export function createLoneBarrier(clock: Clock): RateBarrier {
  return {
    begin: () => Promise.resolve(clock.nowMs() + startLeadMs),
    judge: (probed) => Promise.resolve(summarizeStep(probed)),
  };
}
