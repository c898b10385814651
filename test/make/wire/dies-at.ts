import { endpoints } from "../../../src/core/exchange/endpoint.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import type { Absence, AbsenceTerms } from "./away-for.ts";

/**
 * A service whose process ends at such a request, and is there again at once: what is under way, with a request without a key beside it, is
 * served and counted, and its connection is cut before the answer.
 */
export function diesAt(begins: AbsenceTerms["begins"], onDeath: () => void): Absence {
  let diedMs = Number.POSITIVE_INFINITY;
  let isGone = false;
  const lost = new Set<number>();
  const dies = (requests: readonly SendRequest[]): boolean => {
    if (isGone || !requests.some(begins)) return false;
    return (isGone = true);
  };
  const asSeen = (exchange: Exchange): Exchange => {
    const { sentMs, endMs } = exchange.timing;
    if (!lost.has(exchange.seq) && (sentMs >= diedMs || endMs < diedMs)) return exchange;
    const copy = JSON.parse(JSON.stringify(exchange)) as Exchange;
    const timing = { ...copy.timing, headersMs: null, firstByteMs: null, endMs: diedMs, lateMs: 0 };
    const failure = { kind: "connection-closed", message: "the connection was reset before the response head" } as const;
    return factsOf({ ...copy, response: null, failure, timing });
  };
  const die = (exchanges: readonly Exchange[]): readonly Exchange[] => {
    diedMs = Math.max(...exchanges.map(({ timing }) => timing.sentMs)) + 0.001;
    for (const { seq } of exchanges) lost.add(seq);
    onDeath();
    return exchanges.map(asSeen);
  };
  return {
    met: () => lost.size,
    asSeen: (exchanges) => exchanges.map(asSeen),
    through: (sender) => ({
      send: async (request) =>
        dies([request]) ? die(await Promise.all([sender.send(request), sender.send(keyless)]))[0]! : sender.send(request),
      burst: async (requests) =>
        dies(requests) ? die(await sender.burst([...requests, keyless])).slice(0, requests.length) : sender.burst(requests),
    }),
  };
}

const keyless: SendRequest = {
  stage: "limits",
  caseId: "limits/clock",
  label: "beside the others",
  intent: { kind: "housekeeping", purpose: "be under way", answers: [401] },
  endpoint: "models",
  method: "GET",
  path: endpoints.models.path,
  credential: { kind: "none" },
};
