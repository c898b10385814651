import type { Exchange } from "../../../core/exchange.ts";
import { readRetryHints } from "../../../core/retry-hints.ts";
import { responseJson, statusOf } from "../../exchange-view.ts";
import type { ExchangeJudge, JudgeContext, Occurrence } from "../../judge.ts";

const shapeRows: Readonly<Record<number, string | undefined>> = { 500: "ERR-026", 502: "ERR-028", 503: "ERR-033" };

/** Seconds that a 503 typically asks for. */
const typicalWait = { least: 30, most: 120 };

/** Responses with 500, 502 and 503, provoked or met by chance: error shape and waiting time. */
export const serverErrors: ExchangeJudge = {
  scope: "exchange",
  id: "server-errors",
  covers: ["ERR-026", "ERR-028", "ERR-030", "ERR-032", "ERR-033"],
  *judge(exchange, context): Iterable<Occurrence> {
    if (isTriggered(exchange)) yield* judgeTrigger(exchange);
    const requirement = shapeRows[statusOf(exchange) ?? 0];
    if (requirement === undefined || exchange.endpoint === null || exchange.failure !== null) return;
    const fromGateway = !isTriggered(exchange) && responseJson(exchange) === undefined;
    yield judgeShape(exchange, requirement, context, fromGateway);
    if (statusOf(exchange) === 503) yield* judgeWait(exchange, fromGateway);
  },
};

function isTriggered({ intent }: Exchange): boolean {
  return intent.kind === "violates" && intent.condition === "fault-trigger";
}

/** A trigger that does not work says nothing about the service. */
function* judgeTrigger(exchange: Exchange): Iterable<Occurrence> {
  const status = statusOf(exchange);
  const wanted = exchange.intent.kind === "violates" ? exchange.intent.requirement : "";
  if (shapeRows[status ?? 0] === wanted) return;
  const message = `the declared trigger did not lead to the fault but to ${status ?? "no answer"}`;
  for (const requirement of wanted === "ERR-033" ? ["ERR-033", "ERR-030"] : [wanted]) {
    yield { requirement, outcome: "inconclusive", exchanges: [exchange.seq], message };
  }
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

function* judgeWait(exchange: Exchange, fromGateway: boolean): Iterable<Occurrence> {
  const { headers } = exchange.response ?? { headers: [] };
  const hint = readRetryHints(headers, undefined, exchange.timing.wallMs).header;
  const subject = { exchanges: [exchange.seq] };
  if (hint === null) {
    yield {
      ...subject,
      requirement: "ERR-030",
      outcome: fromGateway ? "advisory" : "fail",
      message: "a 503 does not tell how long to wait",
      expected: "a Retry-After field",
      observed: "none",
    };
    return;
  }
  yield { ...subject, requirement: "ERR-030", outcome: "pass" };
  if (hint.waitMs === null) return;
  const seconds = hint.waitMs / 1000;
  yield seconds >= typicalWait.least && seconds <= typicalWait.most
    ? { ...subject, requirement: "ERR-032", outcome: "pass" }
    : {
        ...subject,
        requirement: "ERR-032",
        outcome: "fail",
        message: "the wait of a 503 lies outside the typical range",
        expected: `${typicalWait.least} to ${typicalWait.most} s`,
        observed: `${seconds} s`,
      };
}
