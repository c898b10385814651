import { setMaxListeners } from "node:events";
import type { Clock } from "../core/clock.ts";
import type { Exchange } from "../core/exchange.ts";
import { createRoster, type Rostered } from "../core/roster.ts";
import type { Sender, SendRequest } from "../core/send-request.ts";
import { promisedWaitMs } from "./classify-outcome.ts";
import { createHold, type Hold } from "./hold.ts";
import type { LoadProfile, PlannedSend } from "./load-profile.ts";
import {
  givenUpRecord,
  measureExchange,
  notSentRecord,
  type LoadRecord,
  type MeasuredExchange,
  type RecordContext,
} from "./load-record.ts";
import type { RecordStore } from "./record-store.ts";
import type { SecondSeries } from "./second-series.ts";
import type { ChatMessage, LoadRequest, Workload } from "./workload.ts";

export interface EngineInput {
  readonly profile: LoadProfile;
  readonly sender: Sender;
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

/** The last attempt of one logical request. */
export interface LoadAnswer {
  readonly record: LoadRecord;
  readonly text: string;
  /** Messages that were sent, for the next turn of a conversation. */
  readonly messages: readonly ChatMessage[];
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
   * Waits for everything in flight, at most `graceMs`. What is left is booked as unanswered; its connections end with the
   * wire, which the caller closes.
   */
  drain(graceMs: number): Promise<void>;
}

/** One logical request from its issue to its last attempt. */
interface Flight extends Rostered {
  /** The attempt that left and was not answered yet. */
  unanswered: RecordContext | null;
  /** Connection of that attempt; null: one of its own. */
  lane: number | null;
  /** Told when it is over. */
  ended: (() => void) | null;
}

interface ConcludedAttempt {
  readonly measured: MeasuredExchange;
  readonly race: boolean;
  readonly waitMs: number | null;
}

/** A body that was built ahead of its time. */
interface Prepared {
  readonly index: number;
  readonly request: LoadRequest;
}

/** Places for bodies ahead of their time, more than are ever built ahead; one that is overwritten is built again. */
const preparedPlaces = 1024;

export function createLoadEngine(input: EngineInput): LoadEngine {
  const { profile, clock, store, series, workload } = input;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal, input.signal);
  // No maps and sets here: what comes and goes this often would stay in the tables that they leave behind (`createRoster`).
  const prepared: (Prepared | undefined)[] = Array.from({ length: preparedPlaces });
  const flights = createRoster<Flight>();
  let cut = false;
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

  // The same for every request of the profile.
  const caseId = `load/${profile.id}`;
  const credential = { kind: "bearer", key: profile.key } as const;
  const timeoutMs = 1000 * profile.timeoutSeconds;
  const intents = {
    "warm-up": { kind: "load", profile: profile.id, phase: "warm-up" },
    measure: { kind: "load", profile: profile.id, phase: "measure" },
  } as const;

  const sendAttempt = (
    flight: Flight,
    request: LoadRequest,
    context: RecordContext,
    label: string,
    attempt: number,
    retryOf: number | null,
  ): Promise<Exchange> => {
    // A connection per request in flight; the one that was used last is the warmest.
    flight.lane = fresh ? null : (freeLanes.pop() ?? lanes++);
    series.sent(context.issuedMs);
    flight.unanswered = context;
    const send: { -readonly [Member in keyof SendRequest]: SendRequest[Member] } = {
      stage: "load",
      caseId,
      label,
      intent: intents[context.phase],
      endpoint: request.endpoint,
      method: request.method,
      path: request.path,
      credential,
      timeoutMs,
      totalTimeoutMs: timeoutMs,
      intendedMs: context.intendedMs,
      connection: flight.lane ?? "fresh",
      attempt,
      reserve: request.reserve,
    };
    if (request.body !== null) send.body = request.body;
    if (retryOf !== null) send.retryOf = retryOf;
    return input.sender.send(send);
  };

  const concludeAttempt = (flight: Flight, exchange: Exchange, context: RecordContext, attempt: number): ConcludedAttempt => {
    flight.unanswered = null;
    if (flight.lane !== null) freeLanes.push(flight.lane);
    sends += 1;
    const measured = measureExchange(exchange, context);
    // Booked as given up already: the profile is over.
    if (cut) return { measured, race: false, waitMs: null };
    // A reset of an idle connection says nothing about the service: it is sent again and not counted as its error.
    const race = attempt === 1 && exchange.failure?.kind === "reused-connection-closed";
    if (race) {
      series.ended(measured.record, clock.nowMs());
      raced += 1;
      // A target that closes what it announced to keep would make every request a race: connect anew from now on.
      fresh ||= raced >= 5 && raced > 0.2 * sends;
    } else {
      book(measured.record);
    }
    input.onExchange(exchange);
    if (exchange.failure?.kind === "budget") stop(`budget: ${exchange.failure.message}`);
    return { measured, race, waitMs: promisedWaitMs(exchange, measured.body) };
  };

  const takePrepared = (index: number): LoadRequest | null => {
    const place = index % preparedPlaces;
    const found = prepared[place];
    if (found?.index !== index) return null;
    prepared[place] = undefined;
    return found.request;
  };

  const follow = async (
    flight: Flight,
    index: number,
    planned: PlannedSend,
    intendedMs: number,
    history: readonly ChatMessage[],
  ): Promise<LoadAnswer | null> => {
    const ahead = takePrepared(index);
    const request = (history.length === 0 ? ahead : null) ?? workload.request(index, planned, history);
    const contextOf = (issuedMs: number, races: number): RecordContext => ({
      endpoint: request.endpoint,
      label: request.item.label,
      phase: intendedMs < input.measureFromMs ? "warm-up" : "measure",
      step: planned.step,
      intendedMs,
      issuedMs,
      slo: profile.slo,
      races,
    });
    const issuedMs = clock.nowMs();
    series.due(intendedMs);
    const held = profile.retry.retryAfter === "obey" && issuedMs < hold.untilMs();
    if (held || series.inFlight() >= profile.maxInFlight) {
      book(notSentRecord(contextOf(issuedMs, 0), held ? "retry-after" : "max-in-flight"));
      return null;
    }
    const label = `${request.item.label}#${index}`;
    let retryOf: number | null = null;
    let races = 0;
    for (let attempt = 1; ; attempt += 1) {
      const context = contextOf(attempt === 1 ? issuedMs : clock.nowMs(), races);
      const exchange = await sendAttempt(flight, request, context, label, attempt, retryOf);
      const { measured, race, waitMs } = concludeAttempt(flight, exchange, context, attempt);
      if (waitMs !== null && profile.retry.retryAfter === "obey") hold.extend(clock.nowMs() + waitMs);
      retryOf ??= exchange.seq;
      const answer = { record: measured.record, text: measured.text, messages: request.messages ?? [] };
      if (race) races = 1;
      if (stopping.signal.aborted || !(race || (attempt - races <= profile.retry.max && isRetryable(exchange)))) return answer;
      const delayMs = race ? 0 : (waitMs ?? 250 * 2 ** (attempt - 1));
      if (clock.nowMs() + delayMs > input.retryUntilMs) return answer;
      if (!race) retried += 1;
      try {
        await clock.sleep(delayMs, stopping.signal);
      } catch {
        return answer;
      }
    }
  };

  return {
    async issue(index, planned, intendedMs, history = []) {
      const flight: Flight = { rosterPlace: -1, unanswered: null, lane: null, ended: null };
      flights.add(flight);
      try {
        return await follow(flight, index, planned, intendedMs, history);
      } finally {
        flights.remove(flight);
        flight.ended?.();
      }
    },
    prepare(index, planned) {
      const place = index % preparedPlaces;
      if (prepared[place]?.index !== index) prepared[place] = { index, request: workload.request(index, planned) };
    },
    stop,
    stopped: stopping.signal,
    stopReason: () => reason,
    retried: () => retried,
    races: () => ({ count: raced, outOf: sends }),
    async idle(ms) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      await Promise.race([endOf(flights.members), late]);
      clearTimeout(timer);
    },
    async drain(graceMs) {
      // Real time: a virtual clock must not run ahead of the answers it waits for.
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([endOf(flights.members), late]);
      cut = true;
      for (const { unanswered } of flights.members) if (unanswered !== null) book(givenUpRecord(unanswered, clock.nowMs()));
      clearTimeout(timer);
    },
  };
}

/** Resolves when all of these are over; what begins later is not waited for. */
async function endOf(flights: readonly Flight[]): Promise<void> {
  await Promise.all(
    flights.map(
      (flight) =>
        new Promise<void>((resolve) => {
          const earlier = flight.ended;
          flight.ended = () => {
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
