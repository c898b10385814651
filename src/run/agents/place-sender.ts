import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { type LoadSender, wrapSender } from "../../load/send/load-sender.ts";

export interface PlaceSenderOptions {
  /** Holds back to the rate of this agent alone. */
  readonly own: LoadSender;
  /** Sends at once. */
  readonly free: LoadSender;
  readonly clock: Clock;
  /** Whether first attempts come at instants of a schedule; those are for the places of the agent itself. */
  readonly scheduled: boolean;
  readonly borrow: () => Promise<string | null>;
  readonly giveBack: (place: string) => Promise<void>;
}

/** Networks move what was sent a second apart. */
const marginMs = 40;

/**
 * Sends what has no instant of its own (retries, later turns, closed loops) with a place that was borrowed where there is one. It
 * is used once and given back a second after that: whoever borrows it then sends a second later at least, whatever the clocks show.
 */
export function createPlaceSender({ own, free, clock, scheduled, borrow, giveBack }: PlaceSenderOptions): LoadSender {
  const sendBorrowed = async (request: SendRequest): Promise<Exchange> => {
    const place = await borrow().catch(() => null);
    if (place === null) return own.send(request);
    const sending = free.send(request);
    // Counted from the end: the request may have waited for a connection.
    const ended = sending.then(
      () => undefined,
      () => undefined,
    );
    void ended
      .then(() => clock.sleep(1000 + 2 * marginMs))
      .then(() => giveBack(place))
      .catch(() => undefined);
    return sending;
  };
  const send = (request: SendRequest): Promise<Exchange> =>
    scheduled && (request.attempt ?? 1) === 1 ? own.send(request) : sendBorrowed(request);
  return wrapSender(own, send);
}
