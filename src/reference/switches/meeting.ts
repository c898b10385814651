import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";

/** Real milliseconds without another arrival, after which a meeting is over. */
const quietMs = 12;

/** So many times a request waits again because others arrived, at most. */
const mostTurns = 20;

/**
 * Requests that were sent together meet, however slowly this machine accepts them: each call resolves when no other one came for a while.
 * Sockets are read between timers and immediates, so what has arrived meanwhile counts before a call goes on.
 */
export function createMeeting(): () => Promise<void> {
  let arrived = 0;
  return async () => {
    arrived += 1;
    let seen = 0;
    for (let turns = 0; seen !== arrived && turns < mostTurns; turns += 1) {
      seen = arrived;
      await delay(quietMs);
      await turn();
      await turn();
    }
  };
}
