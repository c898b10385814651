/** One answered request as a witness must reproduce it; instants on the run clock, the label as a Unix instant. */
export interface WitnessOp {
  readonly seq: number;
  readonly sentMs: number;
  readonly headersMs: number;
  readonly admitted: boolean;
  readonly remaining: number;
  readonly resetMs: number;
}

/** The parameters of a limiter of a family besides the requests. A search chooses freely only among the parameters named here. */
export interface WitnessSetup {
  readonly family: string;
  readonly limit: number;
  readonly windowMs: number;
  /** 0: remaining counts the request that carries it, 1: it does not yet (O2). */
  readonly before: 0 | 1;
  /** Step to which remaining is rounded down. */
  readonly rounding: number;
  readonly countsRejects: boolean;
  /** Sliding counter: how it rounds what the last window weighs. */
  readonly weigh: "floor" | "ceil";
  /** Aligned windows and sliding counters: every label is this much more than a multiple of the window. */
  readonly phaseMs: number;
  /** Windows from the first request: begun and ended by a clock in whole seconds. */
  readonly wholeSeconds: boolean;
  /**
   * Which instant the label of a log or bucket names. Log: 0 the oldest entry leaves, 1 the newest does, 2 a request would be admitted.
   * Bucket: 0 full again, 1 a request would be admitted.
   */
  readonly label: 0 | 1 | 2;
  /** Buckets. */
  readonly capacity: number;
  readonly startLevel: number;
  /** 0: refilled continuously. */
  readonly batchMs: number;
  /**
   * A number that only the service knows, as the span that a search begins with: the end of windows (label minus run clock) for
   * windows and counters, the phase of batches.
   */
  readonly hidden: readonly [low: number, high: number];
}

/** How labels may lie on the run clock. */
export interface LabelClock {
  /** How far they may drift over the run, the choice of instants within requests included. */
  readonly slackMs: number;
  /** Service clock minus run clock. */
  readonly lowMs: number;
  readonly highMs: number;
}

/** An order of decisions with an instant for each, and the hidden number, that reproduces every answer. */
export interface Witness {
  readonly setup: WitnessSetup;
  readonly hidden: number;
  readonly decisions: readonly { readonly seq: number; readonly atMs: number }[];
}
