import type { LimitOp } from "./op.ts";
import type { Tolerances } from "./tolerances.ts";

/** Service clock minus run clock, as a closed interval of milliseconds; the run clock starts at 0. */
export interface ClockOffset {
  readonly lowMs: number;
  readonly highMs: number;
  /** The fields contradict each other: several clocks answer, and no absolute instant can be judged. */
  readonly split: boolean;
}

export interface DatedOp extends Pick<LimitOp, "dateMs" | "cached" | "sentMs" | "headersMs"> {
  /** Our own wall clock less the run clock; null: not known. */
  readonly ownOffsetMs?: number | null;
}

/** A difference of our own clock that a service may have; a greater one says that ours is wrong, or is no clock at all. */
export const ownClockMs = 300_000;

/**
 * Date has a resolution of one second and is written between receipt of the request and the head of the response:
 * offset >= Date - received, offset <= Date + 1 s - sent (the bounds of the HTTP Time Protocol).
 */
export function measureClockOffset(ops: readonly DatedOp[], tolerances: Tolerances): ClockOffset | null {
  let lowMs = Number.NEGATIVE_INFINITY;
  let highMs = Number.POSITIVE_INFINITY;
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = 0;
  for (const op of ops) {
    if (op.dateMs === null || op.cached || !Number.isFinite(op.headersMs)) continue;
    lowMs = Math.max(lowMs, op.dateMs - op.headersMs);
    highMs = Math.min(highMs, op.dateMs + 1000 - op.sentMs);
    firstMs = Math.min(firstMs, op.sentMs);
    lastMs = Math.max(lastMs, op.headersMs);
  }
  if (lowMs === Number.NEGATIVE_INFINITY) return null;
  // Servers cache the formatted Date for up to a second and skewed instances may answer in turn: only widen, never assume.
  const slackMs = tolerances.driftRatio * (lastMs - firstMs) + tolerances.fuzzMs + tolerances.virtualLagMs + 100;
  const split = lowMs - slackMs > highMs + slackMs;
  // Date may be wrong while the limiter has the right time: which of two clocks is right cannot be known, so that both are allowed.
  const own = ops.flatMap(({ ownOffsetMs }) => ownOffsetMs ?? []).filter((ms) => Math.abs(ms - lowMs) <= ownClockMs);
  if (!split) for (const ms of own) [lowMs, highMs] = [Math.min(lowMs, ms), Math.max(highMs, ms)];
  return { lowMs: lowMs - slackMs, highMs: highMs + slackMs, split };
}
