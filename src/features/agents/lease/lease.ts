/** The right of an agent to send, until a deadline. */
export interface Lease {
  /** Granted for so long, by an answer to what was asked at that instant: the time on the way is part of it. */
  extend(askedAtMs: number, grantedMs: number): void;
  /** Gives the right up; no later grant brings it back. */
  drop(reason: string): void;
  /** Asked right before every send. */
  holds(): boolean;
  /** Why it was given up; null while it was not. */
  readonly dropped: string | null;
}

/** From the last renewal on, by the clock of the broker. */
export const leaseMs = 3000;
/** The reason that agent and coordinator state alike, whichever notices it first. */
export const leaseRanOut: string = `its lease of ${leaseMs / 1000} s ran out`;
/** The clock of the broker may run faster: a deadline here must never lie after the one there. */
const leaseMarginMs = 50;

/** `nowMs` must count on while the process is stopped. A lease that ran out stays lost. */
export function createLease(nowMs: () => number): Lease {
  let untilMs: number | null = null;
  let dropped: string | null = null;
  const expired = (): boolean => untilMs !== null && nowMs() >= untilMs;
  return {
    extend(askedAtMs, grantedMs) {
      if (expired()) dropped ??= leaseRanOut;
      if (dropped === null) untilMs = Math.max(untilMs ?? -Infinity, askedAtMs + grantedMs - leaseMarginMs);
    },
    drop(reason) {
      dropped ??= reason;
    },
    holds() {
      if (untilMs === null) return false;
      if (expired()) dropped ??= leaseRanOut;
      return dropped === null;
    },
    get dropped() {
      return dropped;
    },
  };
}
