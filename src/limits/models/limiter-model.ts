import type { LabelClock, WitnessSetup } from "../certificates/witness-form.ts";
import type { NarrowStep } from "./narrow-step.ts";

export type FamilyId = "fixed-window" | "fixed-from-first" | "sliding-log" | "sliding-counter" | "token-bucket" | "batch-refill";

/** One limiter of a family; instants in ms of one clock. */
export interface ModelParameters {
  readonly limit: number;
  readonly windowMs: number;
  /** An instant at which a window of the clock, or a batch, begins. */
  readonly phaseMs: number;
  /** Windows of the clock that begin anew with the first request after idle ones. */
  readonly restarts: boolean;
  /** How a sliding counter rounds what it carries over. */
  readonly weigh: "exact" | "floor" | "ceil";
  /** The number of requests that a bucket holds; it is full at the start. */
  readonly capacity: number;
  /** The step in which a bucket is refilled; 0: continuously. */
  readonly batchMs: number;
}

/** Plain numbers; each family says which. */
export type ModelState = readonly number[];

/** A limiter without noise. */
export interface Limiter {
  readonly start: ModelState;
  /** The state at an instant; `take` counts one request, whether or not one is left. */
  step(state: ModelState, op: "ask" | "take", atMs: number): ModelState;
  /** Requests left at the instant of the last step: fractions as the family has them, below 0 where more were taken. */
  left(state: ModelState): number;
}

/** A limiter that gives back at instants that are known in advance. */
export interface RenewingLimiter extends Limiter {
  /** The instant at which the open window began; a bucket has none. */
  beganMs(state: ModelState): number;
  /** The instant from which one request is left, where none is. */
  nextMs(state: ModelState): number;
  /** The instant from which all is left if nobody comes. */
  fullMs(state: ModelState): number;
}

/** A family as all parts of the harness know it, besides the reference service and the programs that verify certificates. */
export interface LimiterModel<Kind extends Limiter = Limiter> {
  /** Whether its windows begin at instants of the clock, without which nothing can be predicted. */
  readonly hasPhase: boolean;
  init(parameters: ModelParameters): Kind;
  /** The same step where one number is known as a span only. */
  narrow(setup: WitnessSetup, clock: LabelClock): NarrowStep;
}

export function equalStates(a: ModelState, b: ModelState): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
