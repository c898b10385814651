import type { Clock } from "../../core/clock.ts";
import type { Sender } from "../../core/exchange/send-request.ts";

/**
 * On a virtual clock a sleep moves time for everybody: an answer in flight would look as slow as the sleep is long. Here a
 * sleep waits until nothing is in flight, and requests wait until nobody sleeps. Not for real clocks: it would serialize.
 */
export function createQuietClock(clock: Clock, sender: Sender): { readonly clock: Clock; readonly sender: Sender } {
  let inFlight = 0;
  let sleeping = 0;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  const until = async (isFree: () => boolean): Promise<void> => {
    while (!isFree()) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const sending = async <Value>(send: () => Promise<Value>): Promise<Value> => {
    await until(() => sleeping === 0);
    inFlight += 1;
    try {
      return await send();
    } finally {
      inFlight -= 1;
      if (inFlight === 0) wake();
    }
  };
  return {
    clock: {
      nowMs: () => clock.nowMs(),
      wallMs: () => clock.wallMs(),
      sleep: async (ms, signal) => {
        sleeping += 1;
        try {
          await until(() => inFlight === 0);
          await clock.sleep(ms, signal);
        } finally {
          sleeping -= 1;
          if (sleeping === 0) wake();
        }
      },
    },
    sender: {
      send: (request) => sending(() => sender.send(request)),
      burst: (requests) => sending(() => sender.burst(requests)),
    },
  };
}
