import type { Clock } from "../../core/clock.ts";

/** Waits, and reports whether it was waited to the end: false where the signal ended it. */
export async function isWaited(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  try {
    if (ms > 0) await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return !signal.aborted;
}

/** Resolves with null when it is aborted. */
export function abortionOf(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", () => resolve(null), { once: true });
  });
}
