import { endpoints } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { StatedAnswer } from "../../../core/exchange/intent.ts";
import { describeViolation } from "../rejections/rejects-as-stated.ts";

/** A request that somebody provoked: the state that it was sent in, and what may come of it there. */
export interface StatedAnswers {
  /** For texts and to group by: `use a key at its monthly cap: POST /v1/embeddings`. */
  readonly state: string;
  readonly answers: readonly StatedAnswer[];
}

/**
 * What may come of a request. Its sender states it where it has established a state; else the kind of the request does. Here stand
 * the statuses alone: the shape of a refusal, its hint, whether it took effect and what it was billed have rows of their own, which
 * judge every refusal (ERR-001, RATE-021, SPEND-003 to SPEND-006, KEY-029, USG-042). null: nothing is provoked, or anything may come.
 */
export function statedAnswers(exchange: ExchangeFacts): StatedAnswers | null {
  const { intent, endpoint, request } = exchange;
  // An image that is fetched comes from wherever its address points.
  if (!request.path.startsWith("/")) return null;
  const path = endpoint === null ? request.path : endpoints[endpoint].path;
  const where = `${request.method} ${path}${exchange.asksForStream ? " with stream" : ""}`;
  switch (intent.kind) {
    case "housekeeping":
      return intent.answers === undefined ? null : { state: `${intent.purpose}: ${where}`, answers: intent.answers };
    case "limit":
      return { state: `drive a limit: ${where}`, answers: ["2xx", 429] };
    case "violates":
      // Which refusal belongs to which condition is a matter of `rejectsAsStated`; a fault that is asked for may be any.
      return intent.condition === "fault-trigger"
        ? null
        : { state: `${describeViolation(intent)}: ${where}`, answers: ["2xx", "4xx"] };
    case "probe-unspecified":
      return { state: `${intent.question}: ${where}`, answers: ["2xx", "4xx", 501] };
    case "valid":
    case "load":
      return null;
    default:
      return intent satisfies never;
  }
}

/** Whether a status is among them; a redirect and what is no status of HTTP never are. */
export function isStated(status: number, answers: readonly StatedAnswer[]): boolean {
  return answers.some((answer) => answer === status || answer === `${Math.floor(status / 100)}xx`);
}
