import { answerFailure } from "../../core/exchange/answer-failure.ts";
import { hasOwnForm } from "../../core/exchange/bodies/stream-end.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { OutcomeClass } from "../../core/result/load-outcome.ts";
import { longestWaitMs } from "../../core/exchange/headers/retry-hints.ts";

/**
 * Class of an answer. Rejects are kept apart by cause (spec, section "Limits"). A 2xx that reports a failure, or whose stream cannot be
 * read to its end, is no answer (`answerFailure`); nor is a stream in a form of its own where the target has another one (`isFormKnown`).
 */
export function classifyOutcome(exchange: ExchangeFacts, isFormKnown: boolean): OutcomeClass {
  if (exchange.failure?.kind === "budget") return "not-sent";
  if (exchange.failure?.left === true) return "left";
  // Only we abort; whatever the target does has a kind of its own.
  if (exchange.failure?.kind === "aborted") return "interrupted";
  // Likewise: a deadline of ours ended it, and nobody knows how the answer would have ended.
  if (exchange.failure?.bound !== undefined) return "timed-out";
  if (exchange.failure !== null || exchange.response === null) return "transport-error";
  const { status } = exchange.response;
  if (status === 429) {
    const cause = exchange.rejectCause;
    if (cause === "spend") return "spend-capped";
    return cause === "burst" ? "burst-limited" : "rate-limited";
  }
  if (status >= 400 && status < 500) return "client-error";
  if (status < 200 || status >= 300) return "server-error";
  const isOdd = isFormKnown && hasOwnForm(exchange.streamEnd);
  return answerFailure(exchange) === null && !isOdd ? "ok" : "server-error";
}

/** Longest wait that a 429 or 503 asks for, in milliseconds; null when it asks for none that can be read. */
export function promisedWaitMs(exchange: ExchangeFacts): number | null {
  return exchange.status === 429 || exchange.status === 503 ? longestWaitMs(exchange.retryHints) : null;
}
