import type { ExchangeJudge } from "../../judging/judge.ts";
import { isJsonObject } from "../../judging/json-value.ts";
import { isComplete, isKnownRoute } from "../../judging/subjects.ts";

const listed: ReadonlySet<number> = new Set([401, 402, 403, 404, 422, 429, 500, 502, 503]);

/** The parts of errors that the specification leaves open: codes, further statuses, texts for people. */
export const errorObservations: ExchangeJudge = {
  scope: "exchange",
  id: "error-observations",
  covers: ["ERR-004", "ERR-034", "ERR-035"],
  concerns: ({ status }) => status >= 400,
  judge(exchange, outcomes) {
    if (!isComplete(exchange) || !isKnownRoute(exchange)) return;
    const { status } = exchange.response;
    const error = exchange.responseObject?.["error"];
    const code = exchange.errorCode;
    if (code !== null) outcomes.observed("ERR-004", () => `${status}: ${code.slice(0, 60)}`);
    outcomes.observed("ERR-034", () => (listed.has(status) ? "only statuses of the table" : `also ${status}`));
    if (!isJsonObject(error)) return;
    outcomes.observed("ERR-035", () => {
      const text = ["message", "detail", "description"].find((name) => typeof error[name] === "string");
      return text === undefined ? "no text for people" : `error.${text}`;
    });
  },
};
