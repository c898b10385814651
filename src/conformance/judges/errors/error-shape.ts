import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { describeType, isJsonObject, type JsonObject, showValue } from "../../judging/json-value.ts";
import { type Answered, isComplete, isKnownRoute, nameResponse, weightOf } from "../../judging/subjects.ts";
import { showAnswer } from "../../judging/show-answer.ts";
import { inContext, wrongValue, type WrongWords } from "../../judging/wrong-words.ts";

/**
 * Section "Errors": every error carries `error.code`, or is the quota shape with the string `error`. A code that is a
 * number is tolerated with an advisory, and so is any shape on routes that the specification does not describe (AMB-07).
 */
export const errorShape: ExchangeJudge = {
  scope: "exchange",
  id: "error-shape",
  aspect: "body",
  covers: ["ERR-001", "ERR-002", "ERR-010", "ERR-038", "AUTH-027"],
  concerns: ({ status }) => status >= 400,
  judge(exchange, outcomes) {
    if (!isComplete(exchange)) return;
    const { obstacle } = exchange;
    if (obstacle?.isFault === false) {
      outcomes.inconclusive("ERR-001", `${nameResponse(exchange)} was not read: ${obstacle.words}`);
      return;
    }
    const { status } = exchange.response;
    const problem = findProblem(exchange);
    report("ERR-001", problem, exchange, outcomes);
    if (status === 401 || status === 403) report("AUTH-027", problem, exchange, outcomes);
    if (status === 429) {
      // A 429 for a rate or burst limit carries a code too; the quota shape replaces it for spend caps (AMB-09).
      if (isQuota(exchange)) report("ERR-010", quotaProblem(exchange), exchange, outcomes);
      else report("ERR-038", problem, exchange, outcomes);
    }
    judgeCode(exchange, outcomes);
  },
};

function report(requirement: string, problem: WrongWords | null, exchange: Answered, outcomes: Outcomes): void {
  outcomes.passOrFail(requirement, problem === null, () => {
    const { kind, message } = inContext(": ", problem);
    return {
      outcome: weightOf(exchange),
      place: nameResponse(exchange),
      around: ["", message],
      kind,
      expected: 'an object with error.code, or error with the value "quota_exceeded"',
      observed: showAnswer(exchange),
    };
  });
}

function findProblem({ responseObject: body, response }: Answered): WrongWords | null {
  if (body === null) return { kind: "the body of the error is not a JSON object" };
  const { error } = body;
  if (error === undefined) return withoutError(body);
  if (typeof error === "string") {
    if (error !== "quota_exceeded") return wrongValue("error is a string other than quota_exceeded (", error, { after: ")" });
    if (response.status === 429) return null;
    return { kind: "the quota shape is that of a 0 alone", message: "the quota shape is that of a 429 alone" };
  }
  if (!isJsonObject(error)) return { kind: `error is ${describeType(error)}` };
  return error["code"] === undefined || error["code"] === null ? { kind: "error.code is missing" } : null;
}

/** A problem document (RFC 9457) is named with its type, as `quota-exceeded` of the IETF draft on rate limits. */
function withoutError({ type, title }: JsonObject): WrongWords {
  if (typeof type !== "string" || typeof title !== "string") return { kind: "there is no member error" };
  return wrongValue("there is no member error, but a problem document (RFC 9457) of the type ", type, { limit: 80 });
}

function isQuota({ responseObject: body }: Answered): boolean {
  return typeof body?.["error"] === "string" || body?.["cap_type"] !== undefined || body?.["retry_after_ms"] !== undefined;
}

function quotaProblem(exchange: Answered): WrongWords | null {
  if (exchange.isQuotaExceeded) return null;
  return wrongValue("error is ", exchange.responseObject?.["error"], { after: " instead of quota_exceeded" });
}

function judgeCode(exchange: Answered, outcomes: Outcomes): void {
  const error = exchange.responseObject?.["error"];
  if (!isJsonObject(error)) return;
  const { code } = error;
  if (code === undefined || code === null) return;
  outcomes.passOrFail("ERR-002", typeof code === "string" && code.trim() !== "", () => ({
    outcome: typeof code === "number" || !isKnownRoute(exchange) ? "advisory" : "fail",
    kind: `error.code is ${code === "" ? "empty" : describeType(code)}`,
    expected: "a string that is not empty",
    observed: showValue(code),
  }));
}
