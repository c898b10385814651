import type { SendRequest } from "../../../core/exchange/send-request.ts";
import type { Exchange } from "../../../core/exchange/exchange.ts";
import type { Prices } from "../../../core/manifest.ts";
import type { Amounts, Escrowed, EscrowCounters } from "../budget/escrow-counters.ts";
import { type LoadSender, wrapSender } from "../../../load/send/load-sender.ts";
import { estimateWorstCase } from "../../../core/cost-estimate.ts";

type Worst = Readonly<Record<Escrowed, number>>;

export interface EscrowSenderOptions {
  /** Ends in a redeeming sender, however long a request waits on the way there. */
  readonly sender: LoadSender;
  readonly counters: EscrowCounters;
  readonly prices: Prices;
  /** Null when the budget of all holds no more of it. */
  readonly draw: (least: Worst, wanted: Worst) => Promise<Amounts | null>;
  /** Requests for which is drawn ahead. */
  readonly ahead: () => number;
}

/**
 * Draws from the budget of all agents before a request is sent that what was drawn cannot hold. If that is refused the request
 * goes on to the wire, whose budget then refuses it as on one machine.
 */
export function createEscrowSender({ sender, counters, prices, draw, ahead }: EscrowSenderOptions): LoadSender {
  let drawing: Promise<boolean> | null = null;
  const drawMore = (worst: Worst, least: Worst): Promise<boolean> =>
    (drawing ??= (async () => {
      try {
        const requests = Math.max(1, ahead());
        const wanted = {
          requests: Math.max(least.requests, requests),
          tokens: Math.max(least.tokens, requests * worst.tokens),
          nanoUsd: Math.max(least.nanoUsd, requests * worst.nanoUsd),
        };
        const granted = await draw(least, wanted);
        if (granted !== null) counters.credit(granted);
        return granted !== null;
      } catch {
        return false;
      } finally {
        drawing = null;
      }
    })());
  const sendLater = async (request: SendRequest, worst: Worst): Promise<Exchange> => {
    for (let least = counters.lacks(worst); least !== null; least = counters.lacks(worst)) {
      if (!(await drawMore(worst, least))) break;
    }
    counters.pledge(worst);
    return sender.send(request);
  };
  const send = (request: SendRequest): Promise<Exchange> => {
    if (request.required === true) return sender.send(request);
    const worst = worstOf(request, prices);
    if (counters.lacks(worst) !== null) return sendLater(request, worst);
    counters.pledge(worst);
    const sending = sender.send(request);
    // The next part is here before it is needed: a send that waited for it would be late.
    const half = Math.max(1, Math.ceil(ahead() / 2));
    const soon = { requests: half, tokens: half * worst.tokens, nanoUsd: half * worst.nanoUsd };
    const least = counters.lacks(soon);
    if (least !== null && drawing === null) void drawMore(worst, least);
    return sending;
  };
  return wrapSender(sender, send);
}

/** Stands right before the wire, which takes from the budget as it is called: what was pledged for the request is free until then. */
export function createRedeemingSender(wire: LoadSender, counters: Pick<EscrowCounters, "redeem">, prices: Prices): LoadSender {
  return wrapSender(wire, (request) => {
    if (request.required !== true) counters.redeem(worstOf(request, prices));
    return wire.send(request);
  });
}

/** The amounts that the wire reserves for a request. */
function worstOf(request: SendRequest, prices: Prices): Readonly<Record<Escrowed, number>> {
  const { tokens, costUsd } = request.reserve ?? estimateWorstCase(request, prices);
  return { requests: 1, tokens: Math.ceil(tokens), nanoUsd: Math.min(1e14, Math.ceil(costUsd * 1e9)) };
}
