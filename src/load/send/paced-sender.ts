import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { Hold } from "./hold.ts";
import { type LoadSender, wrapSender } from "./load-sender.ts";
import { createRateAllowance } from "./rate-allowance.ts";

export interface PacedInput {
  readonly sender: LoadSender;
  /** Memory of the allowance; null: anything may be sent. */
  readonly allowance: SharedArrayBuffer | null;
  readonly clock: Clock;
  /** Whether first attempts come at instants of a schedule, which holds to the allowance by itself. */
  readonly scheduled: boolean;
  /** Aborts when nothing more is to be sent: what waits then is recorded as given up. */
  readonly stopped: () => AbortSignal;
  /** Holds back what waits, too: the target may ask for that meanwhile. */
  readonly hold?: Pick<Hold, "untilMs">;
}

const marginMs = 40;

/** Holds a sender to what its target may be sent in a second. The wait shows as dispatch delay. */
export function createPacedSender({ sender, clock, stopped, scheduled, hold, ...input }: PacedInput): LoadSender {
  if (input.allowance === null) return sender;
  const allowance = createRateAllowance(input.allowance);
  const sendLater = async (request: SendRequest, free: Promise<void>): Promise<Exchange> => {
    try {
      await free;
    } catch {
      return sender.send({ ...request, signal: AbortSignal.abort() });
    }
    return sender.send(request);
  };
  const send = async (asked: SendRequest): Promise<Exchange> => {
    const isDue = scheduled && (asked.attempt ?? 1) === 1;
    const place = allowance.take(clock, stopped(), isDue ? 0 : marginMs, hold);
    const request = { ...asked, onWrite: () => place.written() };
    let sentMs: number | null = null;
    try {
      const exchange = await (place.free === null ? sender.send(request) : sendLater(request, place.free));
      ({ sentMs } = exchange.timing);
      return exchange;
    } finally {
      place.ended(sentMs);
    }
  };
  return wrapSender(sender, send);
}
