import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { showAnswer } from "../../judging/show-answer.ts";
import { violationOf } from "../../judging/subjects.ts";

const shapeRows: Readonly<Record<number, string | undefined>> = { 500: "ERR-026", 502: "ERR-028", 503: "ERR-033" };

/** Responses with 500, 502 and 503, provoked or met by chance, carry the common error shape. */
export const serverErrors: ExchangeJudge = {
  scope: "exchange",
  id: "server-errors",
  aspect: "body",
  covers: ["ERR-026", "ERR-028", "ERR-030", "ERR-033"],
  concerns: ({ status, intent }) => status >= 500 || intent === "violates",
  judge(exchange, outcomes, context) {
    const violation = violationOf(exchange);
    const isTriggered = violation?.condition === "fault-trigger";
    if (isTriggered) judgeTrigger(exchange, violation.requirement, outcomes);
    const requirement = shapeRows[exchange.status ?? 0];
    if (requirement === undefined || exchange.endpoint === null || exchange.failure !== null) return;
    const { responseJson } = exchange;
    const hasShape = responseJson !== undefined && context.validate("error.response", responseJson).length === 0;
    // A page of a gateway in front of the service is no word of the service: it is reported, but does not fail.
    const fromGateway = !isTriggered && responseJson === undefined;
    const lacksShape = `does not have the common error shape${fromGateway ? "; it may come from a gateway" : ""}`;
    outcomes.passOrFail(requirement, hasShape, () => ({
      outcome: fromGateway ? "advisory" : "fail",
      kind: `a 0 ${lacksShape}`,
      message: `a ${exchange.status} ${lacksShape}`,
      expected: "a JSON object with error.code",
      observed: showAnswer(exchange),
    }));
  },
};

/**
 * Judges the answer in place of the fault that the owner of the target announced. Another fault, or a success with an error in
 * it, is the wrong answer to the condition; anything else means that the trigger did not work and says nothing about the
 * service.
 */
function judgeTrigger(exchange: ExchangeFacts, wanted: string, outcomes: Outcomes): void {
  const { status } = exchange;
  if (shapeRows[status ?? 0] === wanted) return;
  const isDisguised = exchange.isSuccess && exchange.responseObject?.["error"] !== undefined;
  const isOtherFault = shapeRows[status ?? 0] !== undefined;
  const message = `the declared trigger did not lead to the fault but to ${status ?? "no answer"}`;
  for (const requirement of wanted === "ERR-033" ? ["ERR-033", "ERR-030"] : [wanted]) {
    if (!isDisguised && !isOtherFault) outcomes.inconclusive(requirement, message);
    else {
      const [expectedStatus = "the fault"] = Object.entries(shapeRows).find(([, row]) => row === wanted) ?? [];
      const expected = `${expectedStatus} with the common error shape`;
      const kind = "the declared trigger did not lead to the fault but to 0";
      outcomes.fail(requirement, { kind, message, expected, observed: `${status}` });
    }
  }
}
