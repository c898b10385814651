import type { ClockJump } from "../../core/result/result.ts";
import type { WallClock } from "./wall-clock.ts";

/** The clock of the machine is looked at this often. */
const everyMs = 500;
/** Daemons that keep the time turn it by at most half a millisecond a second; a thread that stands still is no jump. */
const leastJumpMs = 250;
/** The first ones are kept: a clock that jumps more often says no more. */
const mostKept = 20;

export interface JumpWatch {
  /** So far; the clock is looked at once more. */
  jumps(): readonly ClockJump[];
  stop(): void;
}

/** Notes when the wall clock of the machine is set, or stood still with the machine. It does not keep the process alive. */
export function watchJumps(wall: WallClock): JumpWatch {
  const startedMs = wall.nowMs();
  const jumps: ClockJump[] = [];
  let knownMs = wall.aheadMs();
  const look = (): void => {
    const aheadMs = wall.aheadMs();
    const byMs = aheadMs - knownMs;
    // Smaller steps add up over a run of hours, and are no jump.
    knownMs = aheadMs;
    if (Math.abs(byMs) < leastJumpMs || jumps.length >= mostKept) return;
    jumps.push({ atMs: Math.round(wall.nowMs() - startedMs), byMs: Math.round(byMs) });
  };
  const timer = setInterval(look, everyMs).unref();
  return {
    jumps() {
      look();
      return [...jumps];
    },
    stop: () => clearInterval(timer),
  };
}
