import type { ClockOffset } from "./clock-offset.ts";

/** In windows: no limiter of so many per window needs a wait of this, whatever it counts. It is another unit, or another limit. */
const longestWindows = 10;

/** So much longer than the window that refused, where the stated reset says when that is over: what RATE-044 leaves to any service. */
const beyondResetMs = 300_000;

/** The longest wait that a refusal answered at `headersMs`, with this reset, can lawfully state, ms. */
export function longestWaitMs(refusal: {
  readonly headersMs: number;
  readonly resetMs: number | null;
  readonly offset: ClockOffset | null;
  readonly windowMs: number;
}): number {
  const { headersMs, resetMs, offset, windowMs } = refusal;
  const leftMs = resetMs === null || offset === null ? null : resetMs - (headersMs + offset.lowMs);
  const toResetMs = leftMs === null || leftMs < 0 || leftMs > 2 * windowMs ? Number.POSITIVE_INFINITY : leftMs;
  return Math.min(longestWindows * windowMs, toResetMs + windowMs + beyondResetMs);
}
