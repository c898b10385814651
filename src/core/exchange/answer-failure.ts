import type { ExchangeFacts } from "./exchange-facts.ts";
import { hasOwnForm, holdsError } from "./bodies/stream-end.ts";

/**
 * Why an answer that came with a 2xx is none.
 * `error`: it reports a failure itself, as a body, within its stream or as an event. `unfinished`: its stream ends without a finish reason
 * and without `[DONE]`. `malformed`: part of its stream is no JSON. `empty`: its stream has no event.
 */
export type AnswerFailure = "error" | "unfinished" | "malformed" | "empty";

/**
 * The one reading of answers that check, load and limits share: null where a 2xx holds an answer, and for what is no 2xx, which its
 * status classifies. The specification shows neither the form of events nor how a stream ends: a finish reason or `[DONE]` is enough, and a
 * stream in a form of its own ends where its message ends.
 */
export function answerFailure(exchange: ExchangeFacts): AnswerFailure | null {
  const { response, status } = exchange;
  if (response === null || status === null || status < 200 || status >= 300) return null;
  if (response.stream === null) {
    const body = exchange.responseObject;
    return body !== null && holdsError(body) ? "error" : null;
  }
  const { streamEnd } = exchange;
  if (streamEnd.error) return "error";
  if (response.stream.events.length === 0) return "empty";
  if (hasOwnForm(streamEnd)) return null;
  if (streamEnd.malformed > 0) return "malformed";
  return streamEnd.done || streamEnd.finishReason !== null ? null : "unfinished";
}
