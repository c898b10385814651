import type { GateAnswer } from "./burst-gate.ts";

/** The rules by which requests leave the queue of a cooldown. */
export interface QueueRules {
  /** Instant at which those who wait are looked at, for a gate that opens at `opensAtMs`. */
  readonly looksAtMs: (opensAtMs: number, nowMs: number) => number;
  /** Whether a request leaves that the gate gives this answer when that instant has come. */
  readonly lets: (answer: GateAnswer) => boolean;
  /** Takes out the request that leaves first. */
  readonly takeNext: <Request>(waiting: Request[]) => Request | undefined;
  /** Lets a request go on that has left. */
  readonly release: (goOn: () => void) => void;
}

export const lawfulQueueRules: QueueRules = {
  looksAtMs: (opensAtMs) => opensAtMs,
  lets: (answer) => answer.kind === "open",
  takeNext: (waiting) => waiting.shift(),
  release: (goOn) => goOn(),
};
