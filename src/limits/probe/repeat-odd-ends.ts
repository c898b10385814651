import { isNotTheService } from "../../core/ends/is-not-the-service.ts";
import { isStated, statedAnswers } from "../../core/ends/stated-answers.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { readRetry } from "../history/read-retry.ts";
import { absenceOf, type ReturnWaits } from "./await-return.ts";

/** So many odd ends are repeated after the wait that they ask for, of a window each at most; later ones at once. */
const waitsAtMost = 4;

/** Waits of one exam for odd ends that are no absence of the service, whichever of its tools waited. */
export interface SpentOnOddEnds {
  waits: number;
}

interface OddEndTools {
  readonly windowMs: number;
  readonly returns: ReturnWaits;
  /** Sends and keeps. */
  readonly send: (request: SendRequest) => Promise<Exchange>;
  readonly wait: (ms: number, reason: string) => Promise<void>;
  readonly spent: SpentOnOddEnds;
}

export interface OddEndRepeats {
  /**
   * The last answer to a request whose first one is given. An end that nobody stated is asked for once more, so that it is known whether it
   * repeats: after the wait that it asks for. A service that says how long it is away is asked again until patience ends. `timedByInstant`:
   * its schedule goes by the instant, so that nothing is waited for.
   */
  repeat(request: SendRequest, first: Exchange, timedByInstant: boolean): Promise<Exchange>;
}

export function createOddEndRepeats({ windowMs, returns, send, wait, spent }: OddEndTools): OddEndRepeats {
  const waitForOddEnd = async (exchange: Exchange): Promise<void> => {
    const askedMs = (readRetry(factsOf(exchange)).seconds ?? 0) * 1000;
    if (askedMs === 0 || absenceOf(exchange) > 0 || spent.waits >= waitsAtMost) return;
    spent.waits += 1;
    const reason = `answered ${exchange.response?.status}, which is odd: the wait that it asks for`;
    await wait(Math.min(askedMs, windowMs), reason);
  };
  return {
    async repeat(request, first, timedByInstant) {
      let last = first;
      for (let tried = 0; isOdd(last, timedByInstant); tried += 1) {
        const isAwaited = await returns.awaitReturn(last, timedByInstant);
        if (tried > 0 && !isAwaited) return last;
        if (!isAwaited && !timedByInstant) await waitForOddEnd(last);
        const before = last;
        last = await send({ ...request, attempt: before.attempt + 1, retryOf: first.seq });
        returns.learn(last, isAwaited ? before : null);
      }
      return last;
    },
  };
}

function isOdd(exchange: Exchange, timedByInstant: boolean): boolean {
  const stated = isNotTheService(exchange) ? null : statedAnswers(factsOf(exchange));
  if (stated === null || isStated(factsOf(exchange), stated.answers)) return false;
  return !(timedByInstant && exchange.failure?.kind === "timeout");
}
