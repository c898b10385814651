import { answerFailure } from "../exchange/answer-failure.ts";
import { endpoints } from "../exchange/endpoint.ts";
import type { ExchangeFacts } from "../exchange/exchange-facts.ts";
import { isCut } from "../exchange/is-cut.ts";
import type { StatedAnswer } from "../exchange/intent.ts";
import { isHeldUpload } from "../exchange/is-cut-upload.ts";
import { isDisguisedPhase } from "../exchange/is-disguised-phase.ts";
import type { LimitPurpose } from "../exchange/limit-phase.ts";
import { phaseOfFirstRound } from "../exchange/round-phase.ts";

/** A request that somebody provoked: the state that it was sent in, and what may come of it there. */
export interface StatedAnswers {
  /** For texts and to group by: `use a key at its monthly cap: POST /v1/embeddings`. */
  readonly state: string;
  /** The two parts of it, for sentences: `use a key at its monthly cap` and `POST /v1/embeddings`. */
  readonly purpose: string;
  readonly where: string;
  readonly answers: readonly StatedAnswer[];
}

/**
 * The answers that may come to a request. Its sender states it where it has established a state; else the kind of the request
 * does. Here stand the statuses alone: the shape of a refusal, its hint, whether it took effect and what it was billed have
 * rows of their own, which judge every refusal (ERR-001, RATE-021, SPEND-003 to SPEND-006, KEY-029, USG-042). null: nothing is
 * provoked, or anything may come.
 */
export function statedAnswers(exchange: ExchangeFacts): StatedAnswers | null {
  const { intent, endpoint, request, keyName } = exchange;
  // An image that is fetched comes from wherever its address points.
  if (!request.path.startsWith("/")) return null;
  const path = endpoint === null ? request.path : endpoints[endpoint].path;
  const where = `${request.method} ${path}${exchange.asksForStream ? " with stream" : ""}`;
  switch (intent.kind) {
    case "housekeeping":
      return intent.answers === undefined ? null : stated(intent.purpose, where, intent.answers);
    case "limit":
      return stated(`${nameSchedule(intent)} with the key ${keyName}`, where, answersOfSchedule(intent, exchange));
    case "violates":
      // Which refusal belongs to which condition is a matter of `rejectsAsStated`; a fault that is asked for may be any.
      if (intent.condition === "fault-trigger") return null;
      return stated(`be refused (${intent.condition})`, where, ["2xx", "4xx"]);
    case "probe-unspecified":
      return { ...stated(intent.question, where, ["2xx", "4xx", 501]), purpose: `show what comes of: ${intent.question}` };
    case "valid":
    case "load":
      return null;
    default:
      return intent satisfies never;
  }
}

function stated(purpose: string, where: string, answers: StatedAnswers["answers"]): StatedAnswers {
  return { state: `${purpose}: ${where}`, purpose, where, answers };
}

/** A round that is held once more drives the same limit. */
function nameSchedule({ policy, phase }: LimitPurpose): string {
  return `drive the ${policy} limit (${phaseOfFirstRound(phase)})`;
}

/**
 * Served or refused by the limit, or held beyond a burst limit, of which BURST-009 judges whether it comes back; what a model takes is not
 * stated, and no other spelling of a path, no odd client and no key that is there for something else need be served. A body that is held back may be refused as too slow, and a
 * refusal that comes before its end may be lost with the connection.
 */
function answersOfSchedule(purpose: LimitPurpose, { endpoint }: ExchangeFacts): readonly StatedAnswer[] {
  const { policy, phase } = purpose;
  if (isHeldUpload(purpose)) return ["2xx", 400, 408, 413, 422, 429, "closed"];
  if (isDisguisedPhase(phase) || phase === "price") return ["2xx", "4xx"];
  const hasBody = endpoint !== null && endpoints[endpoint].method === "POST";
  const held = policy === "burst" && phase !== "other-key" ? (["queued"] as const) : [];
  return ["2xx", ...(hasBody ? ([400, 413, 422] as const) : []), 429, ...held];
}

/**
 * Whether this is among the ends that the sender stated. A 2xx that reports a failure itself is none, where nothing wrong was asked for: whether
 * a wrong request is refused in another form is a matter of its own.
 */
export function isStated(exchange: ExchangeFacts, answers: readonly StatedAnswer[]): boolean {
  const { failure, status } = exchange;
  // A service may queue beyond a burst limit, longer than anybody waits here.
  if (failure?.kind === "timeout" && answers.includes("queued")) return true;
  if (failure !== null && isCut(failure) && answers.includes("closed")) return true;
  if (failure !== null || status === null) return false;
  const { kind } = exchange.intent;
  if ((kind === "limit" || kind === "housekeeping") && answerFailure(exchange) === "error") return false;
  // A window may be used up at any time, and its wait is kept.
  if (status === 429 && exchange.errorBody.shape !== "quota") return true;
  return answers.some((answer) => answer === status || answer === `${Math.floor(status / 100)}xx`);
}
