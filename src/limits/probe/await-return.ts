import type { Clock } from "../../core/clock.ts";
import { type Absences, awayAtMostMs } from "../../core/ends/absences.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { statedAbsenceMs } from "../../core/exchange/stated-absence.ts";

/** The waits of one exam for a service that says that it is away, whichever of its tools waited. */
export interface SpentAway {
  readonly absences: Absences;
  waitedMs: number;
}

/** How long one exam waits in all: a limiter that answers 503 in place of 429 would be waited for at each refusal. */
const inAllMs = 300_000;

interface ReturnTools {
  readonly clock: Clock;
  /** A request without a key. */
  readonly sendTick: (again: Pick<SendRequest, "attempt" | "retryOf">) => Promise<Exchange>;
  readonly wait: (ms: number, reason: string) => Promise<void>;
  readonly spent: SpentAway;
}

/** Waits for a service that says how long it is away, and records whether it is away for everybody. */
export interface ReturnWaits {
  /**
   * Waits as the answer asks for; false: it asks for no wait, or none is kept any more. `timedByInstant`: its schedule goes by the instant,
   * so that nothing is waited for.
   */
  awaitReturn(exchange: Exchange, timedByInstant: boolean): Promise<boolean>;
  /**
   * A request without a key, on which no limit has a say, shows whether the service is away for everybody: then it is waited for with such
   * requests, which no limiter counts. `waits`: false where the schedule goes by the instant.
   */
  askWithoutKey(waits: boolean): Promise<void>;
  /** `before`: the answer whose wait was kept before this attempt; null: it is no such repetition. */
  learn(exchange: Exchange, before: Exchange | null): void;
}

export function createReturnWaits({ clock, sendTick, wait, spent }: ReturnTools): ReturnWaits {
  const isOver = (exchange: Exchange): boolean => spent.waitedMs >= inAllMs || spent.absences.isOver(callerOf(exchange));
  const waitFor = async (ms: number, { response }: Exchange): Promise<void> => {
    if (ms <= 0) return;
    spent.waitedMs += ms;
    await wait(ms, `the service is away (${response?.status}), and says for how long`);
  };
  const learn: ReturnWaits["learn"] = (exchange, before) => {
    const { sentMs } = exchange.timing;
    const keptMs = before === null ? null : sentMs - before.timing.endMs;
    spent.absences.learn(callerOf(exchange), { sentMs, isAway: absenceOf(exchange) > 0, keptMs });
  };
  const askWithoutKey: ReturnWaits["askWithoutKey"] = async (waits) => {
    const first = await sendTick({});
    if (!waits) return;
    for (let last = first; absenceOf(last) > 0 && !isOver(last);) {
      const before = last;
      await waitFor(Math.min(absenceOf(before), awayAtMostMs), before);
      last = await sendTick({ attempt: before.attempt + 1, retryOf: first.seq });
      learn(last, before);
    }
  };
  return {
    learn,
    askWithoutKey,
    async awaitReturn(exchange, timedByInstant) {
      const askedMs = absenceOf(exchange);
      if (askedMs === 0 || isOver(exchange)) return false;
      await askWithoutKey(!timedByInstant);
      if (timedByInstant) return false;
      await waitFor(exchange.timing.endMs + Math.min(askedMs, awayAtMostMs) - clock.nowMs(), exchange);
      return true;
    },
  };
}

/** The wait of a service that is away, ms; 0: it is not, or asks for none. */
export function absenceOf(exchange: Exchange): number {
  return statedAbsenceMs(factsOf(exchange)) ?? 0;
}

function callerOf({ request, keyName }: Exchange): string {
  return `${request.method} ${request.path} with ${keyName ?? "no key"}`;
}
