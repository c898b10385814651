import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import type { Sender, SendRequest } from "../../../src/core/exchange/send-request.ts";

export interface Absence {
  readonly through: (sender: Sender) => Sender;
  /** The record of a wire holds what the service said; whoever sent the requests saw these. */
  readonly asSeen: (exchanges: readonly Exchange[]) => readonly Exchange[];
  /** How many requests met it. */
  readonly met: () => number;
}

export interface AbsenceTerms {
  readonly status: number;
  /** The value of `Retry-After`. */
  readonly retryAfter: string;
  readonly lastsMs: number;
  /** The request that the absence begins with. */
  readonly begins: (request: SendRequest) => boolean;
  /** The requests that meet it. Default: all, whoever sends them. */
  readonly isOf?: (exchange: Exchange) => boolean;
}

const ofBody = /^(content-.*|transfer-encoding|retry-after)$/i;

/** A service that goes away for a while: nothing is served or counted in that time, and each answer says when to come back. */
export function awayFor({ status, retryAfter, lastsMs, begins, isOf = () => true }: AbsenceTerms): Absence {
  let sinceMs: number | null = null;
  const spoilt = new Map<number, Exchange>();
  let hasBegun = false;
  const begin = (requests: readonly SendRequest[]): boolean => (hasBegun ||= requests.some(begins));
  const answer = (exchange: Exchange): Exchange => {
    const { response, timing } = exchange;
    sinceMs ??= timing.sentMs;
    if (response === null || timing.sentMs - sinceMs >= lastsMs || !isOf(exchange)) return exchange;
    const text = JSON.stringify({ error: { code: "unavailable", message: "Starting." } });
    const own = [
      ["content-type", "application/json"],
      ["retry-after", retryAfter],
    ] as const;
    const refused = factsOf({
      ...(JSON.parse(JSON.stringify(exchange)) as Exchange),
      response: {
        ...response,
        status,
        headers: [...response.headers.filter(([name]) => !ofBody.test(name)), ...own],
        body: { bytes: text.length, sha256: "", text, truncated: false },
        stream: null,
      },
    });
    spoilt.set(exchange.seq, refused);
    return refused;
  };
  return {
    met: () => spoilt.size,
    asSeen: (exchanges) => exchanges.map((exchange) => spoilt.get(exchange.seq) ?? exchange),
    through: (sender) => ({
      send: async (request) => {
        const meets = begin([request]);
        const exchange = await sender.send(request);
        return meets ? answer(exchange) : exchange;
      },
      burst: async (requests) => {
        const meets = begin(requests);
        const exchanges = await sender.burst(requests);
        return meets ? exchanges.map(answer) : exchanges;
      },
    }),
  };
}
