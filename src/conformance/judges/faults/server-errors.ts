import type { Exchange } from "../../../core/exchange/exchange.ts";
import { isSuccess, responseJson, responseObject, statusOf } from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, JudgeContext, Occurrence } from "../../judging/judge.ts";
import { violationOf } from "../subjects.ts";

const shapeRows: Readonly<Record<number, string | undefined>> = { 500: "ERR-026", 502: "ERR-028", 503: "ERR-033" };

const glanced = createGlancedLists(["ERR-026", "ERR-028", "ERR-033"]);
const shapeBits = { 500: 0b001, 502: 0b010, 503: 0b100 } as const;

/** Responses with 500, 502 and 503, provoked or met by chance, carry the common error shape. */
export const serverErrors: ExchangeJudge = {
  scope: "exchange",
  id: "server-errors",
  covers: ["ERR-026", "ERR-028", "ERR-030", "ERR-033"],
  concerns: ({ status, intent }) => status >= 500 || intent === "violates",
  glance(exchange, context) {
    if (violationOf(exchange)?.condition === "fault-trigger") return null;
    const status = statusOf(exchange);
    if (status !== 500 && status !== 502 && status !== 503) return nothingGlanced;
    if (exchange.endpoint === null || exchange.failure !== null) return nothingGlanced;
    const value = responseJson(exchange);
    return value === undefined || context.validate("error.response", value).length > 0 ? null : glanced(shapeBits[status]);
  },
  *judge(exchange, context): Iterable<Occurrence> {
    const violation = violationOf(exchange);
    const isTriggered = violation?.condition === "fault-trigger";
    if (isTriggered) yield* judgeTrigger(exchange, violation.requirement);
    const requirement = shapeRows[statusOf(exchange) ?? 0];
    if (requirement === undefined || exchange.endpoint === null || exchange.failure !== null) return;
    const fromGateway = !isTriggered && responseJson(exchange) === undefined;
    yield judgeShape(exchange, requirement, context, fromGateway);
  },
};

/**
 * What came instead of the fault that the owner of the target announced. Another fault, or a success with an error in it, is
 * the wrong answer to the condition; anything else means that the trigger did not work and says nothing about the service.
 */
function* judgeTrigger(exchange: Exchange, wanted: string): Iterable<Occurrence> {
  const status = statusOf(exchange);
  if (shapeRows[status ?? 0] === wanted) return;
  const isDisguised = isSuccess(exchange) && responseObject(exchange)?.["error"] !== undefined;
  const isOtherFault = shapeRows[status ?? 0] !== undefined;
  const message = `the declared trigger did not lead to the fault but to ${status ?? "no answer"}`;
  for (const requirement of wanted === "ERR-033" ? ["ERR-033", "ERR-030"] : [wanted]) {
    const subject = { requirement, exchanges: [exchange.seq], message };
    yield isDisguised || isOtherFault
      ? { ...subject, outcome: "fail", expected: `${expectedStatus(wanted)} with the common error shape`, observed: `${status}` }
      : { ...subject, outcome: "inconclusive" };
  }
}

function expectedStatus(requirement: string): string {
  return Object.entries(shapeRows).find(([, row]) => row === requirement)?.[0] ?? "the fault";
}

/** A page of a gateway in front of the service is no word of the service: it is told, but does not fail. */
function judgeShape(exchange: Exchange, requirement: string, context: JudgeContext, fromGateway: boolean): Occurrence {
  const subject = { requirement, exchanges: [exchange.seq] };
  const value = responseJson(exchange);
  const problem = value === undefined ? "no JSON" : context.validate("error.response", value)[0]?.message;
  if (problem === undefined) return { ...subject, outcome: "pass" };
  return {
    ...subject,
    outcome: fromGateway ? "advisory" : "fail",
    message: `a ${statusOf(exchange)} does not carry the common error shape${fromGateway ? "; it may come from a gateway" : ""}`,
    expected: "a JSON object with error.code",
    observed: problem,
  };
}
