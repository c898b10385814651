import type { ClockOffset } from "../history/clock-offset.ts";
import type { LimitOp } from "../history/op.ts";
import type { Accusation } from "./check.ts";

/**
 * Windows that a wait may take, at most: no limiter of so many requests per window needs more, whatever it counts. A longer one
 * is in another unit, or of another limit.
 */
const longestWindows = 10;

/** So much longer than the window that refused, where the stated reset says when that is over: what RATE-044 leaves to any service. */
const beyondResetMs = 300_000;

interface Limiter {
  readonly offset: ClockOffset | null;
  readonly windowMs: number;
  /** Of the limit that refused, as the answer states it. */
  readonly resetOf: (op: LimitOp) => number | null;
}

/** The first refusal that names a longer wait than any limiter of this window can need, and what proves it; null where there is none. */
export function findAbsurdWait(
  refusals: readonly LimitOp[],
  limiter: Limiter,
): { readonly says: string; readonly lawful: string; readonly proof: Omit<Accusation, "message" | "spec"> } | null {
  const { windowMs } = limiter;
  const op = refusals.find((one) => (one.retry?.seconds ?? 0) * 1000 > longestWaitMs(one, limiter));
  if (op === undefined) return null;
  const seconds = op.retry!.seconds!;
  return {
    says: `says to wait ${seconds} s; with a window of ${windowMs / 1000} s everything is renewed many times before`,
    lawful: `at most ${windowMs / 1000} s, or two windows for a counter that weighs the one before`,
    proof: {
      rule: "The wait agrees with the reset of the window, in seconds.",
      ops: [op],
      parameters: { waitSeconds: seconds, longestSeconds: Math.round(longestWaitMs(op, limiter) / 1000) },
      expected: `at most ${windowMs / 1000} s`,
      observed: `${seconds} s`,
    },
  };
}

/** The longest wait that a refusal can lawfully state, ms. */
function longestWaitMs(op: LimitOp, { offset, windowMs, resetOf }: Limiter): number {
  const resetMs = resetOf(op);
  // It was decided when it was sent at the earliest.
  const leftMs = resetMs === null || offset === null ? null : resetMs - (op.sentMs + offset.lowMs);
  const toResetMs = leftMs === null || leftMs < 0 || leftMs > 2 * windowMs ? Number.POSITIVE_INFINITY : leftMs;
  return Math.min(longestWindows * windowMs, toResetMs + windowMs + beyondResetMs);
}
