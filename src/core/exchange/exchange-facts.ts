import type { EndpointId } from "./endpoint.ts";
import { BodyReadings } from "./bodies/body-readings.ts";
import type { ErrorBody } from "./bodies/error-body.ts";
import type { Exchange, RecordedRequest, RecordedResponse, Timing, TransportFailure } from "./exchange.ts";
import { createFieldFinder, fieldAbsent, headerValues } from "./headers/header-list.ts";
import { parseHttpDate, parseRfc3339 } from "./headers/http-date.ts";
import { answeredAt, endedAt, type Instant, sentAt } from "./instant.ts";
import type { Intent } from "./intent.ts";
import { momentsOf } from "./moments.ts";
import type { JsonObject, JsonValue } from "./bodies/json-value.ts";
import { type RateLimitHeaders, readRateLimitHeaders } from "./headers/rate-limit-headers.ts";
import { findObstacle, type Obstacle } from "./bodies/find-obstacle.ts";
import type { StreamEnd } from "./bodies/stream-end.ts";
import { isJsonObject, type RecordedJson } from "./bodies/recorded-json.ts";
import { causeByLimits, type RejectCause } from "./reject-cause.ts";
import { readRetryHints, type RetryHints } from "./headers/retry-hints.ts";
import type { TokenUsage } from "./bodies/token-usage.ts";

const findFields = createFieldFinder(["content-type", "date", "age"]);

/**
 * An exchange with everything that can be read from it: each fact is derived on first use and kept, so that a body is parsed
 * once however many judges, checks and figures ask for it; of wide answers only the last ones stay parsed. As JSON, as a copy and
 * between threads it is the exchange alone.
 */
export class ExchangeFacts implements Exchange {
  readonly seq: number;
  readonly stage: Exchange["stage"];
  readonly caseId: string;
  readonly label: string;
  readonly intent: Intent;
  readonly endpoint: EndpointId | null;
  readonly keyName: string | null;
  readonly attempt: number;
  readonly retryOf: number | null;
  readonly request: RecordedRequest;
  readonly response: RecordedResponse | null;
  readonly failure: TransportFailure | null;
  readonly timing: Timing;
  readonly connection: Exchange["connection"];
  readonly #bodies: BodyReadings;
  // undefined: it was not read yet.
  #obstacle: Obstacle | null | undefined;
  #mediaType: string | null | undefined;
  #dateMs: number | null | undefined;
  #rateLimit: RateLimitHeaders | undefined;
  #retryHints: RetryHints | undefined;
  #rejectCause: RejectCause | undefined;

  constructor(exchange: Exchange) {
    this.seq = exchange.seq;
    this.stage = exchange.stage;
    this.caseId = exchange.caseId;
    this.label = exchange.label;
    this.intent = exchange.intent;
    this.endpoint = exchange.endpoint;
    this.keyName = exchange.keyName;
    this.attempt = exchange.attempt;
    this.retryOf = exchange.retryOf;
    this.request = exchange.request;
    this.response = exchange.response;
    this.failure = exchange.failure;
    this.timing = exchange.timing;
    this.connection = exchange.connection;
    this.#bodies = new BodyReadings(exchange.request, exchange.response);
  }

  /** null when no response head arrived. */
  get status(): number | null {
    return this.response === null ? null : this.response.status;
  }

  /** A 2xx whose answer arrived whole. */
  get isSuccess(): boolean {
    if (this.response === null || this.failure !== null) return false;
    const { status } = this.response;
    return status >= 200 && status < 300;
  }

  /** When the request left. */
  get sent(): Instant {
    return sentAt(this.timing);
  }

  /** When the response head arrived; null: none did. */
  get answered(): Instant | null {
    return answeredAt(this.timing);
  }

  /** When the last byte arrived, or the exchange failed. */
  get ended(): Instant {
    return endedAt(this.timing);
  }

  /** Our wall clock when the response head arrived, Unix milliseconds; of no answer: when it failed. */
  get received(): Instant {
    const { answered, ended } = momentsOf(this);
    const { earliestMs, latestMs } = answered ?? ended;
    const { wallMs, sentMs } = this.timing;
    return { earliestMs: wallMs + (earliestMs - sentMs), latestMs: wallMs + (latestMs - sentMs) };
  }

  /** The later end of `received`, which is read for each answer under load. */
  get #receivedMs(): number {
    const { wallMs, headersMs, endMs, sentMs } = this.timing;
    return wallMs + ((headersMs ?? endMs) - sentMs);
  }

  /** The response body as JSON (RFC 8259), or why it is none. */
  get responseBody(): RecordedJson {
    return this.#bodies.response;
  }

  /** The reason for which the content of the answer cannot be read; null if it can. */
  get obstacle(): Obstacle | null {
    if (this.#obstacle === undefined) {
      const { response, endpoint, isSuccess } = this;
      this.#obstacle = findObstacle({ response, endpoint, isSuccess, json: this.peekBody() });
    }
    if (this.#obstacle !== null) this.#bodies.missed = true;
    return this.#obstacle;
  }

  /** Whether somebody asked since the last call for content that cannot be read. */
  takeMissed(): boolean {
    const missed = this.#bodies.missed && this.obstacle !== null;
    this.#bodies.missed = false;
    return missed;
  }

  /** The same as `responseBody` for those who look at an answer only to weigh it: it is not noted that they asked. */
  peekBody(): RecordedJson {
    return this.#bodies.peek();
  }

  /** undefined when the response has no body that parses. */
  get responseJson(): JsonValue | undefined {
    return this.#bodies.json;
  }

  /** null when the response body is no JSON object. */
  get responseObject(): JsonObject | null {
    const value = this.responseJson;
    return isJsonObject(value) ? value : null;
  }

  /** null when the request has no body that is a JSON object. */
  get requestObject(): JsonObject | null {
    const json = this.#bodies.request;
    return json.ok && isJsonObject(json.value) ? json.value : null;
  }

  /** Whether the request asked for server-sent events. */
  get asksForStream(): boolean {
    return this.endpoint === "chat" && this.requestObject?.["stream"] === true;
  }

  /** Type and subtype in lower case without parameters (RFC 9110 section 8.3.1); null when absent or repeated. */
  get mediaType(): string | null {
    if (this.#mediaType === undefined) this.#mediaType = readMediaType(this.#singleField(0));
    return this.#mediaType;
  }

  /** When the answer was written by the clock of the target, Unix milliseconds: its Date field; null: absent, repeated or no HTTP-date. */
  get dateMs(): number | null {
    if (this.#dateMs === undefined) {
      const date = this.#singleField(1);
      this.#dateMs = date === null ? null : parseHttpDate(date, this.#receivedMs);
    }
    return this.#dateMs;
  }

  /** Whether a cache answered in place of the target: it says that the answer has an age. */
  get isCached(): boolean {
    if (this.response === null) return false;
    const { headers } = this.response;
    return findFields(headers)[2] !== fieldAbsent && headerValues(headers, "age").some((age) => Number(age) > 0);
  }

  /**
   * Now on the clock of the target in Unix seconds: its Date header, else our wall clock at the response head.
   * A target whose clock is wrong must not be accused by ours.
   */
  get targetNowSeconds(): number {
    return (this.dateMs ?? parseRfc3339(this.#singleField(1) ?? "") ?? this.#receivedMs) / 1000;
  }

  /**
   * Whole seconds from the request to the head of its answer. A service may settle a limit, a wait or a reset at its begin, and state the
   * Date of its end.
   */
  get headSeconds(): number {
    const { headersMs, endMs, sentMs } = this.timing;
    return Math.floor(((headersMs ?? endMs) - sentMs) / 1000);
  }

  /** The six x-ratelimit fields. */
  get rateLimit(): RateLimitHeaders {
    return (this.#rateLimit ??= readRateLimitHeaders(this.response?.headers ?? [], this.#receivedMs));
  }

  /** The hints of the response about the time to come back. */
  get retryHints(): RetryHints {
    return (this.#retryHints ??= readRetryHints(this.response?.headers ?? [], this.responseJson, {
      dateMs: this.dateMs,
      receivedMs: this.#receivedMs,
    }));
  }

  /** The response body as an error in either shape of the specification. */
  get errorBody(): ErrorBody {
    return this.#bodies.error;
  }

  /** The machine-readable code of an error, whichever of the two shapes carries it. */
  get errorCode(): string | null {
    const { error, code } = this.errorBody;
    return error ?? code;
  }

  /** Whether the body names a spent cap, as the quota shape does; members of the other shape may stand beside it. */
  get isQuotaExceeded(): boolean {
    return this.errorBody.error === "quota_exceeded";
  }

  /** Which limit a 429 speaks of. */
  get rejectCause(): RejectCause {
    return (this.#rejectCause ??= causeByLimits(this.rateLimit, this.errorBody));
  }

  /** The payload of each event of the stream as JSON, in order; undefined where it is none, as `[DONE]`; empty without a stream. */
  get eventValues(): readonly (JsonValue | undefined)[] {
    return this.#bodies.events;
  }

  /** How its stream ends; of an answer without a stream: not at all. */
  get streamEnd(): StreamEnd {
    return this.#bodies.streamEnd;
  }

  /** Tokens that the response reports: in its body, or in the last event of its stream that carries them. */
  get usage(): TokenUsage | null {
    return this.#bodies.usage;
  }

  /** The single value of `content-type` (0) or `date` (1); null when it is absent or repeated. */
  #singleField(field: 0 | 1): string | null {
    if (this.response === null) return null;
    const { headers } = this.response;
    const place = findFields(headers)[field] ?? -1;
    return place < 0 ? null : (headers[place]?.[1] ?? null);
  }
}

function readMediaType(value: string | null): string | null {
  // The media type of nearly all answers needs no parsing.
  if (value === null || value === "application/json" || value === "text/event-stream") return value;
  return (value.split(";")[0] ?? "").trim().toLowerCase();
}

/** Exchanges are immutable, so what was read from one holds as long as the exchange itself is kept. */
const known = new WeakMap<Exchange, ExchangeFacts>();

/** The facts of an exchange: always the same object for the same exchange. One that was sent by this process is its own. */
export function factsOf(exchange: Exchange): ExchangeFacts {
  if (exchange instanceof ExchangeFacts) return exchange;
  let facts = known.get(exchange);
  if (facts === undefined) {
    facts = new ExchangeFacts(exchange);
    known.set(exchange, facts);
  }
  return facts;
}
