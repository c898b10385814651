import { errorCodeOf, responseObject } from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isJsonObject } from "../../judging/json-value.ts";
import { isComplete, isKnownRoute } from "../subjects.ts";

const listed: ReadonlySet<number> = new Set([401, 402, 403, 404, 422, 429, 500, 502, 503]);

const glanced = createGlancedLists(["ERR-004", "ERR-034", "ERR-035"]);

/** What the specification leaves open about errors: codes, further statuses, texts for people. */
export const errorObservations: ExchangeJudge = {
  scope: "exchange",
  id: "error-observations",
  covers: ["ERR-004", "ERR-034", "ERR-035"],
  concerns: ({ status }) => status >= 400,
  glance(exchange) {
    if (!isComplete(exchange) || exchange.response.status < 400 || !isKnownRoute(exchange)) return nothingGlanced;
    const error = responseObject(exchange)?.["error"];
    if (typeof error === "string") return glanced(0b011);
    if (!isJsonObject(error)) return glanced(0b010);
    const { code } = error;
    return glanced(typeof code === "string" || typeof code === "number" ? 0b111 : 0b110);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isComplete(exchange) || exchange.response.status < 400 || !isKnownRoute(exchange)) return;
    const { status } = exchange.response;
    const exchanges = [exchange.seq];
    const code = errorCodeOf(exchange);
    if (code !== null)
      yield { requirement: "ERR-004", outcome: "observed", exchanges, answer: `${status}: ${code.slice(0, 60)}` };
    yield listed.has(status)
      ? { requirement: "ERR-034", outcome: "observed", exchanges, answer: "only statuses of the table" }
      : { requirement: "ERR-034", outcome: "observed", exchanges, answer: `also ${status}` };
    const error = responseObject(exchange)?.["error"];
    if (isJsonObject(error)) {
      const text = ["message", "detail", "description"].find((name) => typeof error[name] === "string");
      yield {
        requirement: "ERR-035",
        outcome: "observed",
        exchanges,
        answer: text === undefined ? "no text for people" : `error.${text}`,
      };
    }
  },
};
