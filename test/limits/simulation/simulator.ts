import type { Clock } from "../../../src/core/clock.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { createRandom, type Random } from "../../../src/core/random.ts";
import type { Sender, SendRequest } from "../../../src/core/exchange/send-request.ts";
import { createAgenda } from "./agenda.ts";

/** Of a request that names none. */
const defaultTimeoutMs = 5000;

/** The answer of a simulated service; the reset is an instant of its own clock. */
export interface SimResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Data of server-sent events instead of a body. */
  readonly events?: readonly string[];
  /** From the head to the last byte, ms. */
  readonly bodyMs?: number;
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

/** One exchange after another or many at a time: virtual time passes only while every caller waits. */
export function createSimulation(seed: number, service: SimService, network: Network = quietNetwork): Simulation {
  const random = createRandom(seed);
  const epochMs = 1_763_700_000_000 + random.integer(0, 3_600_000) + random.next();
  const drift = (random.next() - 0.5) * 1e-4;
  const exchanges: Exchange[] = [];
  const agenda = createAgenda(random.next() * 1000);
  const delay = (): number => {
    const normal = Math.sqrt(-2 * Math.log(random.next() + 1e-12)) * Math.cos(2 * Math.PI * random.next());
    return network.onewayMs * Math.exp(network.sigma * normal);
  };
  // A clock that skips whole days is a virtual one, and does not drift over them.
  const serviceNow = (): number => epochMs + agenda.nowMs() + drift * Math.min(agenda.nowMs(), 3_600_000);
  const launch = (request: SendRequest, startMs: number): Promise<Exchange> =>
    new Promise((resolve) => {
      const lost = random.next() < network.lossShare;
      const lostEarly = lost && random.next() < 0.5;
      const seq = exchanges.length + 1;
      exchanges.push(draft(seq, request, startMs, epochMs));
      const skew = [-1, 0, 1][random.integer(0, 2)]! * network.skewMs;
      const giveUpMs = startMs + (request.timeoutMs ?? defaultTimeoutMs);
      let isDone = false;
      const finish = (exchange: Exchange): void => {
        if (isDone) return;
        isDone = true;
        exchanges[seq - 1] = exchange;
        agenda.resume();
        resolve(exchange);
      };
      agenda.at(giveUpMs, () => finish(fail(exchanges[seq - 1]!, giveUpMs)));
      if (lostEarly) return;
      agenda.at(startMs + delay(), () =>
        service({
          request,
          random,
          now: () => serviceNow() + skew,
          later: (ms, next) => agenda.at(agenda.nowMs() + ms, next),
          reply: (response, processingMs = 0) => {
            if (lost) return;
            const date = new Date(Math.floor(serviceNow() / 1000) * 1000).toUTCString();
            const headersMs = agenda.nowMs() + processingMs + delay();
            const endMs = headersMs + (response.bodyMs ?? 0);
            if (headersMs < giveUpMs)
              agenda.at(endMs, () => finish(answer(exchanges[seq - 1]!, response, date, headersMs, endMs)));
          },
        }),
      );
    });
  return {
    exchanges,
    clock: {
      nowMs: () => agenda.nowMs(),
      wallMs: () => epochMs + agenda.nowMs(),
      sleep: async (ms) => {
        if (ms > 0) await agenda.wait(agenda.nowMs() + ms);
      },
    },
    sender: {
      send: (request) => launch(request, agenda.nowMs()),
      burst: (requests) =>
        Promise.all(requests.map((request) => launch(request, agenda.nowMs() + random.next() * network.burstSpreadMs))),
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
    keyName: "key" in request.credential ? request.credential.key : null,
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

function answer(exchange: Exchange, response: SimResponse, date: string, headersMs: number, endMs: number): Exchange {
  const text = JSON.stringify(response.body ?? { object: "list", data: [] });
  const events = response.events?.map((data, index) => {
    const atMs = headersMs + ((endMs - headersMs) * (index + 1)) / response.events!.length;
    return { atMs, earliestMs: atMs, read: index, event: "message", data };
  });
  return {
    ...exchange,
    response: {
      status: response.status,
      headers: Object.entries({ date, "content-type": "application/json", ...response.headers }),
      body: events ? null : { bytes: text.length, sha256: "", text, truncated: false },
      stream: events ? { events, comments: 0, pendingAtEnd: false, validUtf8: true, bytes: text.length, sha256: "" } : null,
    },
    timing: { ...exchange.timing, headersMs, firstByteMs: headersMs, endMs },
  };
}
