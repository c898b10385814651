import { answerFailure } from "../../core/exchange/answer-failure.ts";
import { findAbsences } from "../../core/ends/find-absences.ts";
import { groupBy } from "../../core/group-by.ts";
import { endpoints } from "../../core/exchange/endpoint.ts";
import type { Exchange, Timing } from "../../core/exchange/exchange.ts";
import { factsOf, type ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { RateLimitStatus } from "../../core/exchange/headers/rate-limit-headers.ts";
import { resetUnixMs } from "../../core/exchange/headers/reset-time.ts";
import { measureClockOffset, type ClockOffset, type DatedOp } from "./clock-offset.ts";
import { endpointOfPath } from "./endpoint-of-path.ts";
import { keyInAnotherForm } from "./key-in-another-form.ts";
import { findReplays, type ReplaySign } from "./find-replays.ts";
import { setAside, setAwayAside } from "./set-aside.ts";
import type { LimitOp, LimitDecision, QuotaReading } from "./op.ts";
import { readRetry } from "./read-retry.ts";
import type { Tolerances } from "./tolerances.ts";
import { withoutWait } from "./widen-op.ts";

/** Requests of one run that a limiter may have counted, in the order they were sent. */
export interface History {
  readonly ops: readonly LimitOp[];
  /** By key and endpoint: the unit that the specification limits (section "Rate limits"). */
  readonly groups: ReadonlyMap<string, readonly LimitOp[]>;
  /** Answers that caches gave: their requests are set aside. */
  readonly replays: ReadonlyMap<number, ReplaySign>;
  readonly offset: ClockOffset | null;
  /** Offset by the responses around a span of the run clock only: clocks drift, and a virtual one may lag elsewhere. */
  offsetWithin(fromMs: number, toMs: number): ClockOffset | null;
}

export function groupId(key: string, endpoint: string | null): string {
  return `${key}/${endpoint ?? "other"}`;
}

/**
 * A request to no endpoint by its name whose path is another notation of one: a limiter that reads the notation counts it there, another one
 * elsewhere or not at all, so that it is left as a request of that endpoint which may have been counted.
 */
function countWrittenOtherwise(op: LimitOp, method: string): LimitOp {
  const endpoint = op.endpoint === null ? endpointOfPath(op.path) : null;
  return endpoint === null || endpoints[endpoint].method !== method ? op : { ...setAside(op), endpoint };
}

/** A request whose key is written in another form: a limiter may have counted it for that key, and what it reads may be another counter. */
function readInAnotherForm(exchange: Exchange): LimitOp | null {
  const key = keyInAnotherForm(exchange);
  const op = key === null ? null : readOp({ ...exchange, keyName: key });
  return op === null ? null : setAside(op);
}

/**
 * Reads recorded exchanges into limiter operations. Requests that were never sent (budget, abort) and requests without a
 * key leave no trace; unanswered ones and 5xx stay as requests that may have been counted.
 */
export function readHistory(exchanges: readonly Exchange[], tolerances: Tolerances): History {
  const replays = findReplays(exchanges);
  const absent = findAbsences(exchanges);
  const ops = exchanges
    .flatMap((exchange) => {
      const op = readOp(exchange) ?? readInAnotherForm(exchange);
      return op === null ? [] : [countWrittenOtherwise(op, exchange.request.method)];
    })
    .map((op) => (replays.has(op.seq) ? { ...setAside(op), cached: true } : absent.has(op.seq) ? setAwayAside(op) : op))
    .sort((a, b) => a.sentMs - b.sentMs || a.seq - b.seq);
  const dated = exchanges
    .filter(({ seq }) => !replays.has(seq))
    .map(readDated)
    .filter((op) => op !== null);
  return {
    ops,
    replays,
    groups: groupBy(ops, (op) => groupId(op.key, op.endpoint ?? endpointOfPath(op.path))),
    offset: measureClockOffset(dated, tolerances),
    offsetWithin: (fromMs, toMs) =>
      measureClockOffset(
        dated.filter((op) => op.sentMs >= fromMs - 5000 && op.sentMs <= toMs + 5000),
        tolerances,
      ),
  };
}

/** null when the exchange cannot have reached a limiter of a key. */
export function readOp(exchange: Exchange): LimitOp | null {
  if (!leavesTrace(exchange)) return null;
  const { response, timing, intent } = exchange;
  const facts = factsOf(exchange);
  const headers = response ? facts.rateLimit : null;
  const outcome = readOutcome(facts);
  const usage = outcome === "admitted" ? facts.usage : null;
  return {
    seq: exchange.seq,
    key: exchange.keyName,
    endpoint: exchange.endpoint,
    policy: intent.kind === "limit" ? intent.policy : "",
    phase: intent.kind === "limit" ? intent.phase : exchange.stage,
    label: exchange.label,
    path: exchange.request.path,
    sentMs: timing.sentMs,
    headersMs: timing.headersMs ?? Number.POSITIVE_INFINITY,
    endMs: timing.headersMs === null ? Number.POSITIVE_INFINITY : timing.endMs,
    lateMs: timing.lateMs ?? null,
    status: facts.status,
    outcome,
    cause: outcome === "rejected" ? facts.rejectCause : null,
    requests: readQuota(headers?.requests ?? null, timing),
    tokens: readQuota(headers?.tokens ?? null, timing),
    headerProblems: headers?.problems ?? [],
    retry: outcome === "rejected" ? readRetry(facts) : null,
    dateMs: facts.dateMs,
    ownOffsetMs: Math.round(timing.wallMs - timing.sentMs),
    usedTokens: usage?.totalTokens ?? null,
    promptTokens: usage?.promptTokens ?? null,
    cachedTokens: usage?.cachedTokens ?? null,
    completionTokens: usage?.completionTokens ?? null,
    streamed: response?.stream !== undefined && response?.stream !== null,
    maxTokens: readMaxTokens(facts),
    cached: facts.isCached,
  };
}

/** Whether a limiter may have seen it: it had a key, and may have been sent. */
export function leavesTrace(exchange: Exchange): exchange is Exchange & { readonly keyName: string } {
  return exchange.keyName !== null && !neverSent(exchange);
}

function neverSent(exchange: Exchange): boolean {
  const kind = exchange.failure?.kind;
  if (exchange.response !== null) return false;
  // Given up on a connection, it may have been counted; given up before it had one, it never left.
  if (kind === "aborted") return exchange.connection === null;
  return kind === "budget" || kind === "connect-refused" || kind === "dns" || kind === "tls" || kind === "connect-timeout";
}

function readOutcome(exchange: ExchangeFacts): LimitDecision {
  const { status } = exchange;
  if (status === null || status >= 500 || status < 200) return "maybe";
  // A 2xx that reports a failure itself may have been counted or not, as a 5xx.
  if (status < 300) return answerFailure(exchange) === "error" ? "maybe" : "admitted";
  return status === 429 ? "rejected" : "other";
}

/** A wait that was read later than this names no instant any more: as far apart as clocks of one service may be, ms. */
const waitReadLateMs = 400;

function readQuota(status: RateLimitStatus | null, { wallMs, sentMs, headersMs, endMs, lateMs = 0 }: Timing): QuotaReading {
  const receivedUnixMs = wallMs + ((headersMs ?? endMs) - sentMs);
  const quota: QuotaReading = {
    limit: finite(status?.limit),
    remaining: finite(status?.remaining),
    resetMs: status?.reset ? resetUnixMs(status.reset, receivedUnixMs) : null,
    resetFormat: status?.reset?.format ?? null,
  };
  return lateMs > waitReadLateMs ? withoutWait(quota) : quota;
}

/** A number of hundreds of digits is Infinity here: nothing can be counted against it. */
function finite(value: number | null | undefined): number | null {
  return value !== undefined && value !== null && Number.isFinite(value) ? value : null;
}

function readMaxTokens({ requestObject }: ExchangeFacts): number | null {
  const value = requestObject?.["max_tokens"];
  return typeof value === "number" ? value : null;
}

/** Date needs no key: requests that spend no quota narrow the clock too. */
function readDated(exchange: Exchange): DatedOp | null {
  if (exchange.response === null || exchange.timing.headersMs === null) return null;
  const { dateMs, isCached } = factsOf(exchange);
  const { sentMs, headersMs, wallMs } = exchange.timing;
  return { dateMs, cached: isCached, sentMs, headersMs, ownOffsetMs: wallMs - sentMs };
}
