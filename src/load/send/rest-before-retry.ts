import type { Clock } from "../../core/clock.ts";
import type { Hold } from "./hold.ts";

export interface Rest {
  readonly clock: Clock;
  readonly delayMs: number;
  /** The wait that another request was asked for holds this one back as well. */
  readonly hold: Pick<Hold, "untilMs">;
  /** Nothing is repeated later. */
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

/** Waits as long as a request must before it is sent again; false when it may not be. */
export async function restBeforeRetry({ clock, delayMs, hold, untilMs, signal }: Rest): Promise<boolean> {
  const heldMs = (): number => hold.untilMs() - clock.nowMs();
  try {
    for (let restMs = Math.max(delayMs, heldMs()); restMs > 0; restMs = heldMs()) {
      if (clock.nowMs() + restMs > untilMs) return false;
      await clock.sleep(restMs, signal);
    }
    return !signal.aborted;
  } catch {
    return false;
  }
}
