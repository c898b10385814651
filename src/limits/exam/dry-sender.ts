import type { Exchange } from "../../core/exchange/exchange.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { DryClock } from "./dry-clock.ts";
import { exchangeOf, roundTripMs } from "./dry-exchange.ts";
import type { DryTarget } from "./dry-target.ts";

/** Sends to the model of a target as the wire sends to a real one. */
export function createDrySender(
  answer: DryTarget["answer"],
  clock: DryClock,
): {
  readonly send: (request: SendRequest) => Promise<Exchange>;
  readonly burst: (requests: readonly SendRequest[]) => Promise<readonly Exchange[]>;
} {
  let seq = 0;
  const begin = (request: SendRequest): (() => Promise<Exchange>) => {
    const sentMs = clock.nowMs();
    const wallMs = clock.wallMs();
    seq += 1;
    const own = seq;
    const answered = answer(request, { nowMs: sentMs, wallMs });
    return async () => {
      if (answered.heldMs > 0) await clock.until(sentMs + answered.heldMs);
      return exchangeOf({ seq: own, request, answer: answered, sentMs, wallMs, headersMs: clock.nowMs() });
    };
  };
  return {
    send: async (request) => {
      const finish = begin(request);
      clock.advance(roundTripMs);
      return finish();
    },
    burst: async (requests) => {
      const under = requests.map(begin);
      clock.advance(roundTripMs);
      return Promise.all(under.map((finish) => finish()));
    },
  };
}
