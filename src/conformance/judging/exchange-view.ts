import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Exchange, RecordedBody, RecordedResponse } from "../../core/exchange/exchange.ts";
import { createFieldFinder, type HeaderList } from "../../core/exchange/header-list.ts";
import { readRateLimitHeaders, type RateLimitHeaders } from "../../core/exchange/rate-limit-headers.ts";
import { readRecordedJson } from "../../core/exchange/recorded-json.ts";
import { causeByLimits, type RejectCause } from "../../core/exchange/reject-cause.ts";
import { readRetryHints, type RetryHints } from "../../core/exchange/retry-hints.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json-value.ts";
import { mayRepeatMembers } from "./repeated-members.ts";
import { scanJson, type ScannedJson } from "./scan-json.ts";

/** Parsed forms of immutable records, kept as long as the record: many judges read the same body. */
const scans = new WeakMap<RecordedBody, ScannedJson>();

/** The body that was read last, and its parsed form. */
interface LatestScan {
  body: RecordedBody | null;
  scan: ScannedJson | null;
}
const latestAnswer: LatestScan = { body: null, scan: null };
const latestRequest: LatestScan = { body: null, scan: null };

/** The body as JSON; null when there is no body, when it was cut at the capture limit or is not text. */
export function scanBody(body: RecordedBody | null | undefined): ScannedJson | null {
  if (body == null || body.truncated || body.text === undefined) return null;
  if (latestAnswer.body !== body) {
    latestAnswer.scan = scanOnce(body, body.text);
    latestAnswer.body = body;
  }
  return latestAnswer.scan;
}

/** Requests of a closed loop are the same text again and again, unlike answers. */
function scanRequest(body: RecordedBody | null): ScannedJson | null {
  if (body === null || body.truncated || body.text === undefined) return null;
  if (latestRequest.body !== body) {
    if (latestRequest.body?.text !== body.text) latestRequest.scan = scanOnce(body, body.text);
    latestRequest.body = body;
  }
  return latestRequest.scan;
}

function scanOnce(body: RecordedBody, text: string): ScannedJson {
  // Load leaves digests out, and its answers are read once, by all judges in a row: a million entries would be kept in vain.
  if (body.sha256 === "") return scanText(body, text);
  const scan = scans.get(body) ?? scanText(body, text);
  scans.set(body, scan);
  return scan;
}

const noDuplicates: readonly string[] = [];

/** The same as `scanJson`, which is asked only where its slow search for repeated members has something to find. */
function scanText(body: RecordedBody, text: string): ScannedJson {
  const json = readRecordedJson(body);
  if (!json.ok) return scanJson(text);
  const value = json.value as JsonValue;
  return mayRepeatMembers(text, value) ? scanJson(text) : { value, error: null, duplicates: noDuplicates };
}

export function responseJson(exchange: Exchange): JsonValue | undefined {
  return scanBody(exchange.response?.body)?.value;
}

export function responseObject(exchange: Exchange): JsonObject | null {
  const value = responseJson(exchange);
  return isJsonObject(value) ? value : null;
}

export function requestObject(exchange: Exchange): JsonObject | null {
  const value = scanRequest(exchange.request.body)?.value;
  return isJsonObject(value) ? value : null;
}

export function statusOf(exchange: Exchange): number | null {
  return exchange.response?.status ?? null;
}

export function isSuccess(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status !== null && status >= 200 && status < 300 && exchange.failure === null;
}

/**
 * A success whose body the specification describes. What comes with a success that should have been a refusal is described
 * nowhere, and the refusal that is missing has a row of its own: one defect is accused once.
 */
export function isDescribedSuccess(exchange: Exchange): boolean {
  return isSuccess(exchange) && exchange.intent.kind !== "violates";
}

/** Nothing that a verdict on the request can rest on: no answer, a limit that was not meant, or trouble of the server. */
export function isUnplannedTrouble(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status === null || exchange.failure !== null || status === 429 || status >= 500;
}

export function troubleOf(exchange: Exchange): string {
  if (exchange.failure !== null) return `no complete answer (${exchange.failure.kind})`;
  return `answered ${statusOf(exchange) ?? "nothing"}`;
}

/** Type and subtype in lower case without parameters (RFC 9110 section 8.3.1); null when absent or repeated. */
export function mediaTypeOf({ headers }: RecordedResponse): string | null {
  const value = singleValue(headers, 0);
  if (value === null) return null;
  if (value !== latestType.value) {
    latestType.value = value;
    latestType.mediaType = (value.split(";")[0] ?? "").trim().toLowerCase();
  }
  return latestType.mediaType;
}

/** Answers of one operation announce the same. */
const latestType = { value: "", mediaType: "" };

const findTypeAndDate = createFieldFinder(["content-type", "date"]);

/** The single value of `content-type` (0) or `date` (1); null when it is absent or repeated. */
function singleValue(headers: HeaderList, field: 0 | 1): string | null {
  const place = findTypeAndDate(headers)[field] ?? -1;
  return place < 0 ? null : (headers[place]?.[1] ?? null);
}

/** Whether the request asked for server-sent events. */
export function asksForStream(exchange: Exchange): boolean {
  return exchange.endpoint === "chat" && requestObject(exchange)?.["stream"] === true;
}

/** A request to this operation that a correct service accepts, with a key that is valid. */
export function isValidRequest(exchange: Exchange, endpoint: EndpointId): boolean {
  return (
    exchange.endpoint === endpoint &&
    exchange.keyName !== null &&
    (exchange.intent.kind === "valid" || exchange.intent.kind === "load" || exchange.intent.kind === "limit")
  );
}

/**
 * Now on the clock of the target in Unix seconds: its Date header, else our wall clock at the response head.
 * A target whose clock is wrong must not be accused by ours.
 */
export function targetNowSeconds(exchange: Exchange): number {
  const date = exchange.response === null ? null : singleValue(exchange.response.headers, 1);
  if (date !== null && date !== latestDate.text) {
    latestDate.text = date;
    latestDate.unixMs = Date.parse(date);
  }
  if (date !== null && Number.isFinite(latestDate.unixMs)) return latestDate.unixMs / 1000;
  return receivedUnixMs(exchange) / 1000;
}

/** All answers of a second carry the same Date, and reading one costs more than judging it. */
const latestDate: { text: string; unixMs: number } = { text: "", unixMs: Number.NaN };

/** Our wall clock at the response head. */
function receivedUnixMs({ timing }: Exchange): number {
  return timing.wallMs + ((timing.headersMs ?? timing.endMs) - timing.sentMs);
}

export function retryHintsOf(exchange: Exchange): RetryHints {
  return readRetryHints(exchange.response?.headers ?? [], responseJson(exchange), receivedUnixMs(exchange));
}

/** Which limit a 429 speaks of. */
export function rejectCauseOf(exchange: Exchange): RejectCause {
  if (latestCause.exchange !== exchange) {
    latestCause.cause = causeByLimits(rateLimitOf(exchange), responseJson(exchange));
    latestCause.exchange = exchange;
  }
  return latestCause.cause;
}

/** Several judges of a refusal ask for its cause. */
const latestCause: { exchange: Exchange | null; cause: RejectCause } = { exchange: null, cause: "unknown" };

const rateLimits = new WeakMap<Exchange, RateLimitHeaders>();
const latestLimits: { exchange: Exchange | null; read: RateLimitHeaders } = {
  exchange: null,
  read: readRateLimitHeaders([], 0),
};

/** The x-ratelimit fields, read once for each record: several judges compare them over time. */
export function rateLimitOf(exchange: Exchange): RateLimitHeaders {
  if (latestLimits.exchange !== exchange) {
    // Answers of load are read once, by all judges in a row.
    const isKept = exchange.stage !== "load";
    const known = isKept ? rateLimits.get(exchange) : undefined;
    latestLimits.read = known ?? readRateLimitHeaders(exchange.response?.headers ?? [], receivedUnixMs(exchange));
    latestLimits.exchange = exchange;
    if (isKept && known === undefined) rateLimits.set(exchange, latestLimits.read);
  }
  return latestLimits.read;
}

/** The machine-readable code of an error, whichever of the two shapes carries it. */
export function errorCodeOf(exchange: Exchange): string | null {
  const error = responseObject(exchange)?.["error"];
  if (typeof error === "string") return error;
  const code = isJsonObject(error) ? error["code"] : undefined;
  return typeof code === "string" || typeof code === "number" ? String(code) : null;
}

/** `422 (validation_error)` for texts; a code that only repeats the status is left out. */
export function describeAnswer(exchange: Exchange): string {
  const status = statusOf(exchange);
  if (status === null) return troubleOf(exchange);
  const code = errorCodeOf(exchange);
  const broken = exchange.failure === null ? "" : `, then ${exchange.failure.kind}`;
  const isTelling = code !== null && code !== String(status);
  return `${isTelling ? `${status} (${code.slice(0, 60)})` : String(status)}${broken}`;
}

/** The quota shape of a spend cap: `error` is a string instead of an object. */
export function isQuotaShape(exchange: Exchange): boolean {
  return responseObject(exchange)?.["error"] === "quota_exceeded";
}
