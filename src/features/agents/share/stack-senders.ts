import type { Clock } from "../../../core/clock.ts";
import type { Exchange } from "../../../core/exchange/exchange.ts";
import type { SendRequest } from "../../../core/exchange/send-request.ts";
import type { Manifest, Prices } from "../../../core/manifest.ts";
import type { AgentLink } from "../broker/agent-link.ts";
import type { EscrowCounters, Amounts, Escrowed } from "../budget/escrow-counters.ts";
import { concurrencyOf, isScheduled } from "../../../load/arrivals/arrival-kinds.ts";
import type { LoadPlan } from "../../../load/plan/plan-load.ts";
import type { Hold } from "../../../load/send/hold.ts";
import { type LoadSender, wrapSender } from "../../../load/send/load-sender.ts";
import { createPacedSender } from "../../../load/send/paced-sender.ts";
import { allocateRateAllowance } from "../../../load/send/rate-allowance.ts";
import { dealSends } from "../../../load/arrivals/share.ts";
import type { AgentOrder } from "../messages/agent-order.ts";
import { estimateWorstCase } from "../../../core/cost-estimate.ts";

export interface StackInput {
  readonly link: AgentLink;
  readonly wire: LoadSender;
  readonly order: AgentOrder;
  readonly plan: LoadPlan;
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly counters: EscrowCounters;
  readonly stopped: () => AbortSignal;
  /** The wait that one agent was asked for. */
  readonly hold: Pick<Hold, "untilMs">;
}

export interface StackedSenders {
  readonly sender: LoadSender;
  /** The first part of the budget, before anything is sent. */
  readonly drawFirst: () => Promise<void>;
}

/** The way of a request of an agent: budget of all, permitted rate, then the wire, which asks for the lease as it writes. */
export function stackSenders(input: StackInput): StackedSenders {
  const { link, wire, order, plan, manifest, clock, counters, stopped, hold } = input;
  const { arrivals } = order.profile;
  const scheduled = isScheduled(arrivals);
  const redeeming = createRedeemingSender(wire, counters, manifest.prices);
  const allowance = allocateRateAllowance(order.ownPerSecond);
  const own = createPacedSender({ sender: redeeming, allowance, clock, scheduled, stopped, hold });
  const paced = order.borrows
    ? createPlaceSender({
        own,
        free: redeeming,
        clock,
        scheduled,
        borrow: () => link.borrowPlace(),
        giveBack: (place) => link.giveBackPlace(place),
      })
    : own;
  let left = scheduled ? dealSends(plan.sends, { index: order.agent, count: order.agents }).length : Infinity;
  const perSecond = concurrencyOf(arrivals) ?? plan.peakPerSecond;
  const ahead = (): number => Math.max(1, Math.min(left, Math.ceil(perSecond / order.agents)));
  const draw: AgentLink["draw"] = (least, wanted) => link.draw(least, wanted);
  const escrow = createEscrowSender({ sender: paced, counters, prices: manifest.prices, draw, ahead });
  return {
    sender: {
      ...escrow,
      send(request) {
        if ((request.attempt ?? 1) === 1) left = Math.max(0, left - 1);
        return escrow.send(request);
      },
    },
    async drawFirst() {
      const requests = ahead();
      const granted = await draw({ requests: 0, tokens: 0, nanoUsd: 0 }, { requests, tokens: 0, nanoUsd: 0 });
      if (granted !== null) counters.credit(granted);
    },
  };
}

interface PlaceSenderOptions {
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
 * is used once and given back a second after that: its borrower then sends a second later at least, by any clock.
 */
function createPlaceSender({ own, free, clock, scheduled, borrow, giveBack }: PlaceSenderOptions): LoadSender {
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

type Worst = Readonly<Record<Escrowed, number>>;

interface EscrowSenderOptions {
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
