import { setMaxListeners } from "node:events";
import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { createRoster } from "../../core/roster.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { promisedWaitMs } from "../samples/classify-outcome.ts";
import { Flight, type LoadAnswer } from "./flight.ts";
import { createHold, type Hold } from "./hold.ts";
import type { LoadProfile, PlannedSend } from "../profile/load-profile.ts";
import { givenUpRecord, measureExchange, notSentRecord, type LoadRecord } from "../samples/load-record.ts";
import type { LoadSender } from "./load-sender.ts";
import type { RecordStore } from "../samples/record-store.ts";
import type { SecondSeries } from "../samples/second-series.ts";
import type { ChatMessage, LoadRequest, Workload } from "../workload/workload.ts";

export interface EngineInput {
  readonly profile: LoadProfile;
  readonly sender: LoadSender;
  readonly clock: Clock;
  readonly workload: Workload;
  readonly store: RecordStore;
  readonly series: SecondSeries;
  /** Sends intended before this instant are warm-up. */
  readonly measureFromMs: number;
  /** No attempt is repeated after this instant: a target may ask for a wait of days. */
  readonly retryUntilMs: number;
  readonly onExchange: (exchange: Exchange) => void;
  /** Shared with other loops that send the same profile. */
  readonly hold?: Hold;
  /** Looks at every record and may end the profile. */
  readonly watches: readonly { observe(record: LoadRecord): string | null }[];
  readonly signal: AbortSignal;
}

/** Sends requests, retries them, obeys promised waits and keeps the books; what is sent when is decided elsewhere. */
export interface LoadEngine {
  /** Sends now; `intendedMs` is when it should have been. Resolves with the last attempt, null when it was not sent. */
  issue(index: number, planned: PlannedSend, intendedMs: number, history?: readonly ChatMessage[]): Promise<LoadAnswer | null>;
  /** Builds the body of a send ahead of its time. */
  prepare(index: number, planned: PlannedSend): void;
  /** Ends the profile: nothing more is sent. */
  stop(reason: string): void;
  /** Aborts when the profile is over, for whatever reason. */
  readonly stopped: AbortSignal;
  stopReason(): string | null;
  retried(): number;
  /** Requests that met a connection which the target had just closed; they were sent again. */
  races(): { readonly count: number; readonly outOf: number };
  /** Waits until nothing is in flight, at most `ms`; nothing is aborted. */
  idle(ms: number): Promise<void>;
  /**
   * Waits for everything in flight, at most `graceMs`. What is left then is cut off and booked as interrupted, with what came
   * of it until then.
   */
  drain(graceMs: number): Promise<void>;
}

/** A body that was built ahead of its time. */
interface Prepared {
  readonly index: number;
  readonly request: LoadRequest;
}

const noMessages: readonly ChatMessage[] = [];

/** What was cut off comes back at once; a sender that cannot cut is not waited for. */
const cutMs = 1000;

/** Places for bodies ahead of their time, more than are ever built ahead; one that is overwritten is built again. */
const preparedPlaces = 1024;

export function createLoadEngine(input: EngineInput): LoadEngine {
  const { profile, clock, store, series, workload } = input;
  const { slo } = profile;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal, input.signal);
  // No maps and sets here: what comes and goes this often would stay in the tables that they leave behind (`createRoster`).
  const prepared: (Prepared | undefined)[] = Array.from({ length: preparedPlaces });
  const flights = createRoster<Flight>();
  let ending: "not yet" | "cutting" | "over" = "not yet";
  const freeLanes: number[] = [];
  let lanes = 0;
  const hold = input.hold ?? createHold();
  let reason: string | null = null;
  let retried = 0;
  let sends = 0;
  let raced = 0;
  let fresh = false;

  const stop = (why: string): void => {
    reason ??= why;
    stopping.abort();
  };
  if (input.signal.aborted) stop("interrupted");
  else input.signal.addEventListener("abort", () => stop("interrupted"), { once: true });

  const book = (record: LoadRecord): void => {
    store.add(record);
    series.ended(record, clock.nowMs());
    for (const watch of input.watches) {
      const why = watch.observe(record);
      if (why !== null) stop(why);
    }
  };

  const obeys = profile.retry.retryAfter === "obey";
  // The same for every request of the profile.
  const caseId = `load/${profile.id}`;
  const credential = { kind: "bearer", key: profile.key } as const;
  const timeoutMs = 1000 * profile.timeoutSeconds;
  const intents = {
    "warm-up": { kind: "load", profile: profile.id, phase: "warm-up" },
    measure: { kind: "load", profile: profile.id, phase: "measure" },
  } as const;

  const sendAttempt = (flight: Flight): void => {
    const { request } = flight;
    // A connection per request in flight; the one that was used last is the warmest.
    flight.lane = fresh ? null : (freeLanes.pop() ?? lanes++);
    series.sent(flight.issuedMs);
    flight.unanswered = true;
    const send: { -readonly [Member in keyof SendRequest]: SendRequest[Member] } = {
      stage: "load",
      caseId,
      label: `${flight.label}#${flight.index}`,
      intent: flight.phase === "measure" ? intents.measure : intents["warm-up"],
      endpoint: request.endpoint,
      method: request.method,
      path: request.path,
      credential,
      timeoutMs,
      totalTimeoutMs: timeoutMs,
      intendedMs: flight.intendedMs,
      connection: flight.lane ?? "fresh",
      attempt: flight.attempt,
      reserve: request.reserve,
    };
    if (request.body !== null) send.body = request.body;
    if (flight.retryOf !== null) send.retryOf = flight.retryOf;
    input.sender.send(send).then(
      (exchange) => arrive(flight, exchange),
      (error: unknown) => abandon(flight, error),
    );
  };

  const arrive = (flight: Flight, exchange: Exchange): void => {
    try {
      conclude(flight, exchange);
    } catch (error) {
      abandon(flight, error);
    }
  };

  const abandon = (flight: Flight, error: unknown): void => {
    flights.remove(flight);
    flight.fail(error);
  };

  const conclude = (flight: Flight, exchange: Exchange): void => {
    flight.unanswered = false;
    if (flight.lane !== null) freeLanes.push(flight.lane);
    sends += 1;
    const { record, text, body } = measureExchange(exchange, flight);
    const answer: LoadAnswer = { record, text, messages: flight.request.messages ?? noMessages };
    if (ending === "cutting") book(record);
    // What comes later was booked as given up already.
    const delayMs = ending === "not yet" ? bookAttempt(flight, exchange, record, body) : null;
    if (delayMs === null) {
      flights.remove(flight);
      flight.end(answer);
    } else {
      repeat(flight, delayMs, answer).catch((error: unknown) => abandon(flight, error));
    }
  };

  /** After how many milliseconds it is to be sent again; null when that was the last attempt. */
  const bookAttempt = (flight: Flight, exchange: Exchange, record: LoadRecord, body: unknown): number | null => {
    // A reset of an idle connection says nothing about the service: it is sent again and not counted as its error.
    const race = flight.attempt === 1 && exchange.failure?.kind === "reused-connection-closed";
    if (race) {
      series.ended(record, clock.nowMs());
      raced += 1;
      // A target that closes what it announced to keep would make every request a race: connect anew from now on.
      fresh ||= raced >= 5 && raced > 0.2 * sends;
    } else {
      book(record);
    }
    input.onExchange(exchange);
    if (exchange.failure?.kind === "budget") stop(`budget: ${exchange.failure.message}`);
    const waitMs = promisedWaitMs(exchange, body);
    if (waitMs !== null && obeys) hold.extend(clock.nowMs() + waitMs);
    flight.retryOf ??= exchange.seq;
    if (race) flight.races = 1;
    if (stopping.signal.aborted || !(race || (flight.attempt - flight.races <= profile.retry.max && isRetryable(exchange))))
      return null;
    const delayMs = race ? 0 : (waitMs ?? 250 * 2 ** (flight.attempt - 1));
    if (clock.nowMs() + delayMs > input.retryUntilMs) return null;
    if (!race) retried += 1;
    return delayMs;
  };

  const repeat = async (flight: Flight, delayMs: number, answer: LoadAnswer): Promise<void> => {
    try {
      await clock.sleep(delayMs, stopping.signal);
    } catch {
      flights.remove(flight);
      flight.end(answer);
      return;
    }
    flight.attempt += 1;
    flight.issuedMs = clock.nowMs();
    sendAttempt(flight);
  };

  const takePrepared = (index: number): LoadRequest | null => {
    const place = index % preparedPlaces;
    const found = prepared[place];
    if (found?.index !== index) return null;
    prepared[place] = undefined;
    return found.request;
  };

  return {
    // One promise, and no function that waits: what a million requests do not allocate need not be collected.
    issue: (index, planned, intendedMs, history = noMessages) =>
      new Promise((resolve, reject) => {
        const ahead = takePrepared(index);
        const request = (history.length === 0 ? ahead : null) ?? workload.request(index, planned, history);
        const phase = intendedMs < input.measureFromMs ? "warm-up" : "measure";
        const flight = new Flight({ request, index, planned, phase, intendedMs, issuedMs: clock.nowMs(), slo }, resolve, reject);
        series.due(intendedMs);
        const held = obeys && flight.issuedMs < hold.untilMs();
        if (held || series.inFlight() >= profile.maxInFlight) {
          book(notSentRecord(flight, held ? "retry-after" : "max-in-flight"));
          resolve(null);
          return;
        }
        flights.add(flight);
        sendAttempt(flight);
      }),
    prepare(index, planned) {
      const place = index % preparedPlaces;
      if (prepared[place]?.index !== index) prepared[place] = { index, request: workload.request(index, planned) };
    },
    stop,
    stopped: stopping.signal,
    stopReason: () => reason,
    retried: () => retried,
    races: () => ({ count: raced, outOf: sends }),
    idle: (ms) => endOrLate(flights.members, ms),
    async drain(graceMs) {
      await endOrLate(flights.members, graceMs);
      if (flights.members.length > 0) {
        ending = "cutting";
        input.sender.giveUp?.();
        await endOrLate(flights.members, input.sender.giveUp === undefined ? 0 : cutMs);
      }
      ending = "over";
      for (const flight of flights.members) if (flight.unanswered) book(givenUpRecord(flight, clock.nowMs()));
    },
  };
}

/** Waits until all of these are over, at most `ms` of real time: a virtual clock must not run ahead of the answers. */
async function endOrLate(flights: readonly Flight[], ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([endOf(flights), late]);
  clearTimeout(timer);
}

/** Resolves when all of these are over; what begins later is not waited for. */
async function endOf(flights: readonly Flight[]): Promise<void> {
  await Promise.all(
    flights.map(
      (flight) =>
        new Promise<void>((resolve) => {
          const earlier = flight.onEnd;
          flight.onEnd = () => {
            earlier?.();
            resolve();
          };
        }),
    ),
  );
}

/** Rejects and overload may be tried again; 502 and 500 too by section "Errors". */
function isRetryable(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return exchange.failure === null && (status === 429 || status === 500 || status === 502 || status === 503);
}
