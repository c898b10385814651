import { setMaxListeners } from "node:events";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { createMemberList, type MemberList } from "../../core/member-list.ts";
import type { RequestEnd } from "../../core/exchange/send-request.ts";
import { promisedWaitMs } from "../samples/classify-outcome.ts";
import { InFlightRequest, type LoadAnswer, endOrLate } from "./in-flight-request.ts";
import type { Hold } from "./hold.ts";
import type { EngineInput } from "./engine-input.ts";
import type { EarlyEnd } from "../samples/early-end.ts";
import type { ChatMessage } from "../profile/workload-item.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { measureExchange } from "../samples/measure-exchange.ts";
import { givenUpRecord, notSentRecord } from "../samples/unanswered-record.ts";
import { restBeforeRetry } from "./rest-before-retry.ts";
import { createAttemptWriter, type AttemptWriter } from "./write-attempt.ts";
import { isRetryable } from "./is-retryable.ts";
import { outOfRoom } from "./out-of-room.ts";
import { PreparedRequests } from "./prepared-requests.ts";

const noMessages: readonly ChatMessage[] = [];

/** Requests that were cut off come back at once; a sender that cannot cut is not waited for. */
const cutMs = 1000;

/**
 * Sends requests, retries them, obeys promised waits and records what came of them; what is sent when is decided elsewhere.
 *
 * The life of a request: `issue` -> `sendAttempt` -> `conclude` -> (`repeat` -> `sendAttempt` ...) -> its promise is settled.
 */
export class LoadEngine {
  readonly #input: EngineInput;
  readonly #stopping = new AbortController();
  readonly #prepared: PreparedRequests;
  // No maps and sets here: what comes and goes this often would stay in the tables that they leave behind (`createMemberList`).
  readonly #inFlight: MemberList<InFlightRequest> = createMemberList<InFlightRequest>();
  readonly #idleConnections: number[] = [];
  readonly #hold: Hold;
  readonly #obeys: boolean;
  readonly #write: AttemptWriter;
  #connections = 0;
  #ending: "not yet" | "cutting" | "over" = "not yet";
  #stopReason: EarlyEnd | null = null;
  #retried = 0;
  #issued = 0;
  #sends = 0;
  /** A stream of the target had the form of the convention. */
  #isFormKnown = false;
  #raced = 0;
  /** Every request gets a connection of its own. */
  #fresh = false;

  constructor(input: EngineInput) {
    const { profile, signal } = input;
    this.#input = input;
    this.#prepared = new PreparedRequests(input.workload);
    this.#hold = input.hold;
    this.#obeys = profile.retry.retryAfter === "obey";
    this.#write = createAttemptWriter(profile);
    setMaxListeners(0, this.#stopping.signal, signal);
    const interrupt = (): void => this.stop({ kind: "interrupted", words: "interrupted" });
    if (signal.aborted) interrupt();
    else signal.addEventListener("abort", interrupt, { once: true });
  }

  /**
   * Sends now; `intendedMs` is when it should have been. Resolves with the last attempt, null when it was not sent. `onFree` is called
   * where its answer has ended and is plainly the last, before anything of it was read: another may take its place.
   * One promise, and no function that waits: what a million requests do not allocate need not be collected.
   */
  issue(
    index: number,
    planned: PlannedSend,
    intendedMs: number,
    history: readonly ChatMessage[] = noMessages,
    onFree: (() => void) | null = null,
  ): Promise<LoadAnswer | null> {
    return new Promise((resolve, reject) => {
      const { profile, series } = this.#input;
      const request = this.#open(index, planned, intendedMs, history, resolve, reject);
      this.#issued += 1;
      series.due(intendedMs);
      const held = request.issuedMs < this.#hold.untilMs();
      if (held || series.inFlight() >= profile.maxInFlight) {
        this.#record(notSentRecord(request, held ? "retry-after" : "max-in-flight"));
        resolve(null);
        return;
      }
      request.onFree = onFree;
      this.#inFlight.add(request);
      this.#sendAttempt(request);
    });
  }

  /** Records a later turn of a conversation that is not sent because the one intended at `intendedMs` was not answered. */
  cancel(index: number, planned: PlannedSend, intendedMs: number): void {
    this.#input.series.due(intendedMs);
    const request = this.#open(index, planned, intendedMs);
    // It was not late: nobody meant to send it any more.
    request.issuedMs = intendedMs;
    this.#record(notSentRecord(request, "cancelled"));
  }

  /** Builds the body of a send ahead of its time. */
  prepare(index: number, planned: PlannedSend): void {
    this.#prepared.prepare(index, planned);
  }

  /** Ends the profile: nothing more is sent. The first reason counts. */
  stop(reason: EarlyEnd): void {
    this.#stopReason ??= reason;
    this.#stopping.abort();
  }

  /** Aborts when the profile is over, for whatever reason. */
  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  get stopReason(): EarlyEnd | null {
    return this.#stopReason;
  }

  /** Requests that were asked for, sent or not. */
  get issued(): number {
    return this.#issued;
  }

  get retried(): number {
    return this.#retried;
  }

  /** Requests that met a connection which the target had just closed; they were sent again. */
  get races(): { readonly count: number; readonly outOf: number } {
    return { count: this.#raced, outOf: this.#sends };
  }

  /** Waits until nothing is in flight, at most `ms`; nothing is aborted. */
  idle(ms: number): Promise<void> {
    return endOrLate(this.#inFlight.members, ms);
  }

  /**
   * Waits for everything in flight, at most `graceMs`. Requests left then are cut off and recorded as interrupted, with the
   * part of the answer that came until then.
   */
  async drain(graceMs: number): Promise<void> {
    const { clock, sender } = this.#input;
    const inFlight = this.#inFlight.members;
    await endOrLate(inFlight, graceMs);
    if (inFlight.length > 0) {
      this.#ending = "cutting";
      sender.giveUp?.();
      await endOrLate(inFlight, sender.giveUp === undefined ? 0 : cutMs);
    }
    this.#ending = "over";
    for (const request of inFlight) {
      if (!request.unanswered) continue;
      this.#leave(request, clock.nowMs());
      this.#record(givenUpRecord(request, clock.nowMs()));
    }
  }

  #open(
    index: number,
    planned: PlannedSend,
    intendedMs: number,
    history = noMessages,
    ...settle: readonly [(answer: LoadAnswer) => void, (error: unknown) => void] | readonly []
  ): InFlightRequest {
    const { clock, profile, measureFromMs } = this.#input;
    const content = this.#prepared.take(index, planned, history);
    const phase = intendedMs < measureFromMs ? "warm-up" : "measure";
    const plan = { content, index, planned, phase, intendedMs, issuedMs: clock.nowMs(), slo: profile.slo } as const;
    return new InFlightRequest(plan, ...settle);
  }

  #record(record: LoadRecord): void {
    const { series, store, watches } = this.#input;
    store.add(record);
    series.recorded(record);
    for (const watch of watches) {
      const why = watch.observe(record);
      if (why !== null) this.stop(why);
    }
  }

  #sendAttempt(request: InFlightRequest): void {
    // A connection per request in flight; the one that was used last is the warmest.
    request.connection = this.#fresh ? null : (this.#idleConnections.pop() ?? this.#connections++);
    this.#input.series.sent(request.issuedMs);
    request.unanswered = true;
    request.flying = true;
    const send = this.#write(request, (end) => this.#noteEnd(request, end));
    this.#input.sender.send(send).then(
      (exchange) => this.#arrive(request, exchange),
      (error: unknown) => this.#abandon(request, error),
    );
  }

  /** The answer has ended, and nobody has read it: its place and its connection are free, unless it may have to be sent again. */
  #noteEnd(request: InFlightRequest, { status, failed, left }: RequestEnd): void {
    this.#leave(request, this.#input.clock.nowMs());
    if ((failed && !left) || status === null || status < 200 || status >= 300) return;
    request.onFree?.();
  }

  /** It is in flight no longer. */
  #leave(request: InFlightRequest, nowMs: number): void {
    if (!request.flying) return;
    request.flying = false;
    this.#input.series.left(nowMs);
    if (request.connection !== null) this.#idleConnections.push(request.connection);
  }

  #arrive(request: InFlightRequest, exchange: Exchange): void {
    try {
      this.#conclude(request, exchange);
    } catch (error) {
      this.#abandon(request, error);
    }
  }

  #abandon(request: InFlightRequest, error: unknown): void {
    this.#inFlight.remove(request);
    request.fail(error);
  }

  #finish(request: InFlightRequest, answer: LoadAnswer): void {
    this.#inFlight.remove(request);
    request.end(answer);
  }

  #conclude(request: InFlightRequest, exchange: Exchange): void {
    request.unanswered = false;
    this.#leave(request, this.#input.clock.nowMs());
    this.#sends += 1;
    request.isFormKnown = this.#isFormKnown;
    const { record, text } = measureExchange(exchange, request);
    this.#isFormKnown ||= exchange.response?.stream != null && factsOf(exchange).streamEnd.isKnownForm;
    const answer: LoadAnswer = { record, text, messages: request.content.messages ?? noMessages };
    if (this.#ending === "cutting") this.#record(record);
    // An attempt that ends later was recorded as given up already.
    const delayMs = this.#ending === "not yet" ? this.#recordAttempt(request, exchange, record) : null;
    if (delayMs === null) this.#finish(request, answer);
    else this.#repeat(request, delayMs, answer).catch((error: unknown) => this.#abandon(request, error));
  }

  /** After how many milliseconds it is to be sent again; null when that was the last attempt. */
  #recordAttempt(request: InFlightRequest, exchange: Exchange, record: LoadRecord): number | null {
    const { clock, onExchange } = this.#input;
    // A reset of an idle connection says nothing about the service: it is sent again and not counted as its error.
    const race = request.attempt === 1 && exchange.failure?.kind === "reused-connection-closed";
    if (race) {
      this.#raced += 1;
      // A target that closes what it announced to keep would make every request a race: connect anew from now on.
      this.#fresh ||= this.#raced >= 5 && this.#raced > 0.2 * this.#sends;
    } else {
      this.#record(record);
    }
    onExchange(exchange);
    const noRoom = outOfRoom(exchange, this.#stopping.signal);
    if (noRoom !== null) this.stop(noRoom);
    if (exchange.failure?.kind === "budget") this.stop({ kind: "budget", words: `budget: ${exchange.failure.message}` });
    const waitMs = promisedWaitMs(factsOf(exchange));
    if (waitMs !== null && this.#obeys) this.#hold.extend(clock.nowMs() + waitMs);
    request.retryOf ??= exchange.seq;
    if (race) request.races = 1;
    return this.#retryDelayMs(request, exchange, race, waitMs);
  }

  #retryDelayMs(request: InFlightRequest, exchange: Exchange, race: boolean, waitMs: number | null): number | null {
    const { clock, profile, retryUntilMs } = this.#input;
    const mayRetry = race || (request.attempt - request.races <= profile.retry.max && isRetryable(exchange));
    if (this.#stopping.signal.aborted || !mayRetry) return null;
    const delayMs = race ? 0 : (waitMs ?? 250 * 2 ** (request.attempt - 1));
    if (clock.nowMs() + delayMs > retryUntilMs) return null;
    if (!race) this.#retried += 1;
    return delayMs;
  }

  async #repeat(request: InFlightRequest, delayMs: number, answer: LoadAnswer): Promise<void> {
    const { clock, retryUntilMs } = this.#input;
    const rest = { clock, delayMs, hold: this.#hold, untilMs: retryUntilMs, signal: this.#stopping.signal };
    if (!(await restBeforeRetry(rest))) {
      this.#finish(request, answer);
      return;
    }
    request.attempt += 1;
    request.issuedMs = clock.nowMs();
    this.#sendAttempt(request);
  }
}
