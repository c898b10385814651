import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import { meetingMs } from "./broken/operators/crowd.ts";

/** A request waits again because others arrived so many times at most. */
const mostWaits = 20;

/**
 * Requests that were sent together meet, however slowly this machine accepts them: each call resolves when no other one came during a wait.
 * Sockets are read between timers and immediates, so what has arrived meanwhile counts before a call goes on.
 *
 * @param wait `meetingMs` by default; a few turns of the event loop where a test moves the clock once nothing moves by itself
 */
export function createMeeting(wait: () => Promise<void> = () => delay(meetingMs)): () => Promise<void> {
  let arrived = 0;
  return async () => {
    arrived += 1;
    let seen = 0;
    for (let waits = 0; seen !== arrived && waits < mostWaits; waits += 1) {
      seen = arrived;
      await wait();
      await turn();
      await turn();
    }
  };
}
