import type { Clock } from "../../../src/core/clock.ts";
import type { Exchange } from "../../../src/core/exchange.ts";
import { createRandom, type Random } from "../../../src/core/random.ts";
import type { Sender, SendRequest } from "../../../src/core/send-request.ts";

/** What a simulated service answers; the reset is an instant of its own clock. */
export interface SimResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Runs at service time; `later` continues after a pause of the store, so that races happen where a real store has them. */
export interface SimContext {
  readonly request: SendRequest;
  readonly random: Random;
  /** Service clock of the instance that answers, Unix milliseconds. */
  now(): number;
  later(ms: number, next: () => void): void;
  reply(response: SimResponse, processingMs?: number): void;
}

export type SimService = (context: SimContext) => void;

export interface Network {
  /** Median and spread (sigma of a log-normal) of one way, ms. */
  readonly onewayMs: number;
  readonly sigma: number;
  /** Spread of the start instants of a burst, ms. */
  readonly burstSpreadMs: number;
  /** Share of requests whose answer is lost, half of them before they reach the service. */
  readonly lossShare: number;
  /** Clock differences of three instances, ms. */
  readonly skewMs: number;
}

export const quietNetwork: Network = { onewayMs: 1, sigma: 0.3, burstSpreadMs: 1, lossShare: 0, skewMs: 0 };

export interface Simulation {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly exchanges: readonly Exchange[];
}

interface Event {
  readonly atMs: number;
  readonly order: number;
  run(): void;
}

/** Discrete events on a virtual clock: one call of `send` or `burst` runs until its last answer is in. */
export function createSimulation(seed: number, service: SimService, network: Network = quietNetwork): Simulation {
  const random = createRandom(seed);
  const epochMs = 1_763_700_000_000 + random.integer(0, 3_600_000) + random.next();
  const drift = (random.next() - 0.5) * 1e-4;
  const exchanges: Exchange[] = [];
  let nowMs = random.next() * 1000;
  let order = 0;
  let events: Event[] = [];
  const at = (atMs: number, run: () => void): void => {
    order += 1;
    events.push({ atMs, order, run });
  };
  const delay = (): number => {
    const normal = Math.sqrt(-2 * Math.log(random.next() + 1e-12)) * Math.cos(2 * Math.PI * random.next());
    return network.onewayMs * Math.exp(network.sigma * normal);
  };
  const settle = (): void => {
    while (events.length > 0) {
      let first = 0;
      events.forEach((event, index) => {
        const best = events[first]!;
        if (event.atMs < best.atMs || (event.atMs === best.atMs && event.order < best.order)) first = index;
      });
      const event = events[first]!;
      events = events.filter((other) => other !== event);
      nowMs = Math.max(nowMs, event.atMs);
      event.run();
    }
  };
  const launch = (request: SendRequest, startMs: number, done: (exchange: Exchange) => void): void => {
    const lost = random.next() < network.lossShare;
    const lostEarly = lost && random.next() < 0.5;
    const seq = exchanges.length + 1;
    exchanges.push(draft(seq, request, startMs, epochMs));
    const skew = [-1, 0, 1][random.integer(0, 2)]! * network.skewMs;
    const finish = (exchange: Exchange): void => {
      exchanges[seq - 1] = exchange;
      done(exchange);
    };
    const giveUp = (): void => at(startMs + 5000, () => finish(fail(exchanges[seq - 1]!, startMs + 5000)));
    if (lostEarly) {
      giveUp();
      return;
    }
    const serviceNow = (): number => epochMs + nowMs * (1 + drift);
    at(startMs + delay(), () =>
      service({
        request,
        random,
        now: () => serviceNow() + skew,
        later: (ms, next) => at(nowMs + ms, next),
        reply: (response, processingMs = 0) => {
          if (lost) return giveUp();
          const date = new Date(Math.floor(serviceNow() / 1000) * 1000).toUTCString();
          const backMs = nowMs + processingMs + delay();
          at(backMs, () => finish(answer(exchanges[seq - 1]!, response, date, backMs)));
        },
      }),
    );
  };
  return {
    exchanges,
    clock: {
      nowMs: () => nowMs,
      wallMs: () => epochMs + nowMs,
      sleep: async (ms) => {
        nowMs += Math.max(0, ms);
      },
    },
    sender: {
      send: async (request) => {
        let result: Exchange | null = null;
        launch(request, nowMs, (exchange) => (result = exchange));
        settle();
        return result!;
      },
      burst: async (requests) => {
        const results: Exchange[] = [];
        requests.forEach((request, index) =>
          launch(request, nowMs + random.next() * network.burstSpreadMs, (exchange) => (results[index] = exchange)),
        );
        settle();
        return results;
      },
    },
  };
}

function draft(seq: number, request: SendRequest, sentMs: number, epochMs: number): Exchange {
  const bodyText = request.body?.kind === "json" ? JSON.stringify(request.body.value) : null;
  return {
    seq,
    stage: request.stage,
    caseId: request.caseId,
    label: request.label,
    intent: request.intent,
    endpoint: request.endpoint,
    keyName: request.credential.kind === "bearer" ? request.credential.key : null,
    attempt: 1,
    retryOf: null,
    request: {
      method: request.method,
      path: request.path,
      headers: [],
      body: bodyText === null ? null : { bytes: bodyText.length, sha256: "", text: bodyText, truncated: false },
    },
    response: null,
    failure: null,
    timing: { intendedMs: null, sentMs, headersMs: null, firstByteMs: null, endMs: sentMs, wallMs: epochMs + sentMs },
    connection: null,
  };
}

function fail(exchange: Exchange, endMs: number): Exchange {
  return { ...exchange, failure: { kind: "timeout", message: "no answer" }, timing: { ...exchange.timing, endMs } };
}

function answer(exchange: Exchange, response: SimResponse, date: string, atMs: number): Exchange {
  const text = JSON.stringify(response.body ?? { object: "list", data: [] });
  return {
    ...exchange,
    response: {
      status: response.status,
      headers: [["date", date], ["content-type", "application/json"], ...Object.entries(response.headers)],
      body: { bytes: text.length, sha256: "", text, truncated: false },
      stream: null,
    },
    timing: { ...exchange.timing, headersMs: atMs, firstByteMs: atMs, endMs: atMs },
  };
}
