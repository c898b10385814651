import { isQuotaShape, responseObject } from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { describeType, isJsonObject, showValue } from "../../judging/json-value.ts";
import { type Answered, isComplete, isKnownRoute, nameResponse, weightOf } from "../subjects.ts";

/** Rows that repeat the demand for one status. */
const byStatus: Readonly<Record<number, readonly string[]>> = {
  401: ["AUTH-027"],
  403: ["AUTH-027"],
};

const glanced = createGlancedLists(["ERR-001", "AUTH-027", "ERR-010", "ERR-038", "ERR-002"]);

/**
 * Section "Errors": every error carries `error.code`, or is the quota shape with the string `error`. A code that is a
 * number is tolerated with an advisory, and so is any shape on routes that the specification does not describe (AMB-07).
 */
export const errorShape: ExchangeJudge = {
  scope: "exchange",
  id: "error-shape",
  covers: ["ERR-001", "ERR-002", "ERR-010", "ERR-038", "AUTH-027"],
  concerns: ({ status }) => status >= 400,
  glance(exchange) {
    if (!isComplete(exchange) || exchange.response.status < 400 || exchange.response.body?.truncated === true) {
      return nothingGlanced;
    }
    const { status } = exchange.response;
    const body = responseObject(exchange);
    const error = body?.["error"];
    let mask = status === 401 || status === 403 ? 0b11 : 0b1;
    if (error === "quota_exceeded") return glanced(status === 429 ? mask | 0b100 : mask);
    if (!isJsonObject(error)) return null;
    const { code } = error;
    if (typeof code !== "string" || code.trim() === "") return null;
    if (status === 429) {
      if (body?.["cap_type"] !== undefined || body?.["retry_after_ms"] !== undefined) return null;
      mask |= 0b1000;
    }
    return glanced(mask | 0b10000);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isComplete(exchange) || exchange.response.status < 400 || exchange.response.body?.truncated === true) return;
    const weight = weightOf(exchange);
    const say = (requirement: string, problem: string | null): Occurrence =>
      problem === null
        ? { requirement, outcome: "pass", exchanges: [exchange.seq] }
        : {
            requirement,
            outcome: weight,
            exchanges: [exchange.seq],
            message: `${nameResponse(exchange)}: ${problem}`,
            expected: 'an object with error.code, or error with the value "quota_exceeded"',
            observed: showBody(exchange),
          };
    const problem = findProblem(exchange);
    yield say("ERR-001", problem);
    for (const requirement of byStatus[exchange.response.status] ?? []) yield say(requirement, problem);
    if (exchange.response.status === 429) yield* judgeLimited(exchange, say);
    yield* judgeCode(exchange);
  },
};

function findProblem(exchange: Answered): string | null {
  const body = responseObject(exchange);
  if (body === null) return "the body of the error is not a JSON object";
  const error = body["error"];
  if (error === undefined) return "there is no member error";
  if (typeof error === "string") {
    return error === "quota_exceeded" ? null : `error is a string other than quota_exceeded (${showValue(error, 60)})`;
  }
  if (!isJsonObject(error)) return `error is ${describeType(error)}`;
  return error["code"] === undefined || error["code"] === null ? "error.code is missing" : null;
}

/** A 429 for a rate or burst limit carries a code too; the quota shape replaces it for spend caps (AMB-09). */
function* judgeLimited(
  exchange: Answered,
  say: (requirement: string, problem: string | null) => Occurrence,
): Iterable<Occurrence> {
  const body = responseObject(exchange);
  const isQuota =
    typeof body?.["error"] === "string" || body?.["cap_type"] !== undefined || body?.["retry_after_ms"] !== undefined;
  if (isQuota)
    yield say("ERR-010", isQuotaShape(exchange) ? null : `error is ${showValue(body["error"], 60)} instead of quota_exceeded`);
  else yield say("ERR-038", findProblem(exchange));
}

function* judgeCode(exchange: Answered): Iterable<Occurrence> {
  const error = responseObject(exchange)?.["error"];
  if (!isJsonObject(error)) return;
  const { code } = error;
  if (code === undefined || code === null) return;
  const subject = { requirement: "ERR-002", exchanges: [exchange.seq] };
  if (typeof code === "string" && code.trim() !== "") {
    yield { ...subject, outcome: "pass" };
    return;
  }
  yield {
    ...subject,
    outcome: typeof code === "number" || !isKnownRoute(exchange) ? "advisory" : "fail",
    message: `error.code is ${code === "" ? "empty" : describeType(code)}`,
    expected: "a string that is not empty",
    observed: showValue(code),
  };
}

function showBody(exchange: Answered): string {
  const { body } = exchange.response;
  if (body === null || body.bytes === 0) return "an empty body";
  return body.text === undefined ? `${body.bytes} bytes that are not text` : body.text.slice(0, 160);
}
