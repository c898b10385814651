import { setMaxListeners } from "node:events";
import type { Clock } from "../core/clock.ts";
import type { Exchange } from "../core/exchange.ts";
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

export function createLoadEngine(input: EngineInput): LoadEngine {
  const { profile, clock, store, series, workload } = input;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal, input.signal);
  const prepared = new Map<number, LoadRequest>();
  const running = new Set<Promise<unknown>>();
  /** Requests that left and were not answered yet. */
  const unanswered = new Set<RecordContext>();
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

  const attemptOnce = async (
    request: LoadRequest,
    shared: Omit<Required<RecordContext>, "issuedMs">,
    label: string,
    attempt: number,
    retryOf: number | null,
  ): Promise<{
    readonly exchange: Exchange;
    readonly measured: MeasuredExchange;
    readonly race: boolean;
    readonly waitMs: number | null;
  }> => {
    // A connection per request in flight; the one that was used last is the warmest.
    const lane = fresh ? null : (freeLanes.pop() ?? lanes++);
    const { endpoint, label: item, phase, step, intendedMs, slo, races } = shared;
    const context: RecordContext = { endpoint, label: item, phase, step, intendedMs, issuedMs: clock.nowMs(), slo, races };
    series.sent(context.issuedMs);
    unanswered.add(context);
    const send: { -readonly [Member in keyof SendRequest]: SendRequest[Member] } = {
      stage: "load",
      caseId,
      label,
      intent: intents[phase],
      endpoint: request.endpoint,
      method: request.method,
      path: request.path,
      credential,
      timeoutMs,
      totalTimeoutMs: timeoutMs,
      intendedMs,
      connection: lane ?? "fresh",
      attempt,
      reserve: request.reserve,
    };
    if (request.body !== null) send.body = request.body;
    if (retryOf !== null) send.retryOf = retryOf;
    const exchange = await input.sender.send(send);
    unanswered.delete(context);
    if (lane !== null) freeLanes.push(lane);
    sends += 1;
    const measured = measureExchange(exchange, context);
    // Booked as given up already: the profile is over.
    if (cut) return { exchange, measured, race: false, waitMs: null };
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
    return { exchange, measured, race, waitMs: promisedWaitMs(exchange, measured.body) };
  };

  const issue = async (
    index: number,
    planned: PlannedSend,
    intendedMs: number,
    history: readonly ChatMessage[],
  ): Promise<LoadAnswer | null> => {
    const request = (history.length === 0 ? prepared.get(index) : undefined) ?? workload.request(index, planned, history);
    prepared.delete(index);
    const issuedMs = clock.nowMs();
    const context = {
      endpoint: request.endpoint,
      label: request.item.label,
      phase: intendedMs < input.measureFromMs ? "warm-up" : "measure",
      step: planned.step,
      intendedMs,
      slo: profile.slo,
      races: 0,
    } as const;
    series.due(intendedMs);
    const held = profile.retry.retryAfter === "obey" && issuedMs < hold.untilMs();
    if (held || series.inFlight() >= profile.maxInFlight) {
      book(notSentRecord({ ...context, issuedMs }));
      return null;
    }
    const label = `${request.item.label}#${index}`;
    let retryOf: number | null = null;
    let races = 0;
    for (let attempt = 1; ; attempt += 1) {
      const { exchange, measured, race, waitMs } = await attemptOnce(
        request,
        races === 0 ? context : { ...context, races },
        label,
        attempt,
        retryOf,
      );
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
    issue(index, planned, intendedMs, history = []) {
      const sending = issue(index, planned, intendedMs, history);
      running.add(sending);
      const forget = (): void => {
        running.delete(sending);
      };
      sending.then(forget, forget);
      return sending;
    },
    prepare(index, planned) {
      if (!prepared.has(index)) prepared.set(index, workload.request(index, planned));
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
      await Promise.race([Promise.allSettled(running), late]);
      clearTimeout(timer);
    },
    async drain(graceMs) {
      // Real time: a virtual clock must not run ahead of the answers it waits for.
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([Promise.allSettled(running), late]);
      cut = true;
      for (const context of unanswered) book(givenUpRecord(context, clock.nowMs()));
      clearTimeout(timer);
    },
  };
}

/** Rejects and overload may be tried again; 502 and 500 too by section "Errors". */
function isRetryable(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return exchange.failure === null && (status === 429 || status === 500 || status === 502 || status === 503);
}
