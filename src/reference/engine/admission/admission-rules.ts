import type { ServiceClock } from "../../clock/service-clock.ts";
import type { Consumption, Work } from "../admission.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import type { Counter } from "../limiter/limiter-family.ts";

/** Time between two steps of one decision, in which others are let in. */
export interface Pause {
  readonly over: Promise<void>;
  /** The checks that were made before the pause and are not repeated. */
  readonly stale: "rate" | "caps";
}

/** The steps in which a request is let in. */
export interface AdmissionRules {
  /** Whether a request comes in past the burst gate. */
  readonly skipsGate: (work: Work) => boolean;
  /** Whether a request waits for the end of a cooldown. */
  readonly queues: (key: KeyRecord) => boolean;
  /** Between the burst gate and the other limits; null: no time passes. */
  readonly afterGate: () => Promise<void> | null;
  /** Between asking the limits and taking from them; null: no time passes. */
  readonly betweenCheckAndTake: (work: Work) => Pause | null;
  /** Whether a request that ended so stays in the count of requests. */
  readonly keepsCount: (ended: Consumption["ended"]) => boolean;
  /** Replaces held tokens by charged ones; `tokens` is the counter that `write` changes. */
  readonly settleTokens: (write: () => void, tokens: () => Counter, clock: ServiceClock) => void;
}

/** One turn of the event loop, so that no two requests take the same unit. */
export const lawfulAdmissionRules: AdmissionRules = {
  skipsGate: () => false,
  queues: (key) => key.whenCooling === "queue",
  afterGate: () => null,
  betweenCheckAndTake: () => null,
  keepsCount: () => true,
  settleTokens: (write) => write(),
};
