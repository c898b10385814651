import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { OutcomeClass } from "../../core/result/load-outcome.ts";
import { longestWaitMs } from "../../core/exchange/headers/retry-hints.ts";
import type { StreamProgress } from "./stream-progress.ts";

/**
 * Class of an answer. Rejects are kept apart by cause (spec, section "Limits"). A stream is an answer only when it can be read
 * to its end (`isWhole`).
 */
export function classifyOutcome(exchange: ExchangeFacts, progress: StreamProgress | null): OutcomeClass {
  if (exchange.failure?.kind === "budget") return "not-sent";
  // Only we abort; whatever the target does has a kind of its own.
  if (exchange.failure?.kind === "aborted") return "interrupted";
  if (exchange.failure !== null || exchange.response === null) return "transport-error";
  const { status, stream } = exchange.response;
  if (status === 429) {
    const cause = exchange.rejectCause;
    if (cause === "spend") return "spend-capped";
    return cause === "burst" ? "burst-limited" : "rate-limited";
  }
  if (status >= 400 && status < 500) return "client-error";
  if (status < 200 || status >= 300) return "server-error";
  if (progress !== null && (stream?.events.length === 0 || !isWhole(progress))) return "server-error";
  return "ok";
}

/**
 * Whether a client has the whole answer. The specification does not show how a stream ends: a finish reason or `[DONE]` is
 * enough. Neither of them, an error object, or an event that is no JSON means that part of the answer is missing.
 */
function isWhole(progress: StreamProgress): boolean {
  return !progress.error && progress.malformed === 0 && (progress.done || progress.finishReason !== null);
}

/** Longest wait that a 429 or 503 asks for, in milliseconds; null when it asks for none that can be read. */
export function promisedWaitMs(exchange: ExchangeFacts): number | null {
  return exchange.status === 429 || exchange.status === 503 ? longestWaitMs(exchange.retryHints) : null;
}
