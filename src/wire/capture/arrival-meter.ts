import { performance } from "node:perf_hooks";
import { runQueueDelayOfThread } from "./run-queue-delay.ts";

/**
 * Interval stamping of arrivals. A socket that is handled in one turn of the event loop was not readable when the previous
 * turn polled and was readable when this turn polled. Both polls are bounded with the clock and the loop's idle time, so
 * every arrival gets an interval that holds it, at the cost of one clock reading per turn.
 */
export interface ArrivalMeter {
  /**
   * To be called first in every data callback. `readMs`: now. `latestMs`: the data had arrived by then. `earliestMs`: it had
   * not arrived before (per loop; a connection's previous read may be later). The same object is returned every time.
   */
  stamp(): Arrival;
}

export interface Arrival {
  readonly readMs: number;
  readonly earliestMs: number;
  readonly latestMs: number;
}

/**
 * Between the arrival of bytes and the return of a poll that slept: the time the kernel needs to wake the thread on a free
 * processor. The wait for a processor that is not free comes on top and is read from the system.
 */
const wakeMs = 0.1;

/** libuv hands out at most this many ready descriptors per poll. */
const descriptorsPerPoll = 1024;

export function createArrivalMeter(nowMs: () => number): ArrivalMeter {
  const timing = performance.nodeTiming;
  const runQueueDelay = runQueueDelayOfThread();
  let delayedSoFarMs = runQueueDelay?.() ?? 0;
  const arrival = { readMs: 0, earliestMs: 0, latestMs: 0 };
  let turnOpen = false;
  let pollFloorMs = nowMs();
  let turnEndMs = pollFloorMs;
  let idleSoFarMs = timing.idleTime;
  let stampsInPoll = 0;

  const endTurn = (): void => {
    turnOpen = false;
    turnEndMs = nowMs();
  };

  return {
    stamp() {
      const now = nowMs();
      arrival.readMs = now;
      if (!turnOpen) {
        turnOpen = true;
        stampsInPoll = 1;
        setImmediate(endTurn);
        const idleNowMs = timing.idleTime;
        const sleptMs = idleNowMs - idleSoFarMs;
        idleSoFarMs = idleNowMs;
        arrival.earliestMs = pollFloorMs;
        arrival.latestMs = now;
        // The poll cannot have returned before the turn's end plus the time that it slept.
        pollFloorMs = Math.min(now, turnEndMs + sleptMs);
        // A loop that slept was woken by these bytes, shortly before it got a processor.
        if (sleptMs > 0.002 && runQueueDelay !== null) {
          const delayedMs = runQueueDelay();
          arrival.earliestMs = Math.max(arrival.earliestMs, pollFloorMs - wakeMs - (delayedMs - delayedSoFarMs));
          delayedSoFarMs = delayedMs;
        }
      } else {
        stampsInPoll += 1;
        if (stampsInPoll > descriptorsPerPoll) {
          // A further poll began within this turn. Its sockets may have been ready at the first one, which was full:
          // the lower end stays.
          arrival.latestMs = now;
          stampsInPoll = 1;
        }
      }
      return arrival;
    },
  };
}
