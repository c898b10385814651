import type { Exchange } from "../../../core/exchange.ts";
import { isDescribedSuccess, responseObject } from "../../exchange-view.ts";
import type { ExchangeJudge, Occurrence } from "../../judge.ts";
import { isJsonObject, type JsonValue, showValue } from "../../json-value.ts";
import { unixSecondsProblem } from "../../unix-seconds.ts";

/** Models are old; a clock may be a day ahead. */
const createdBounds = { pastSeconds: Number.POSITIVE_INFINITY, futureSeconds: 86_400 };

/** Identifiers and creation times within one list. */
export const modelList: ExchangeJudge = {
  scope: "exchange",
  id: "model-list",
  covers: ["MOD-006", "MOD-008", "MOD-011"],
  conclusive: true,
  concerns: ({ endpoint, status }) => endpoint === "models" && status < 300,
  *judge(exchange): Iterable<Occurrence> {
    const models = readModels(exchange);
    if (models === null) return;
    const subject = { exchanges: [exchange.seq] };
    yield models.length > 0
      ? { ...subject, requirement: "MOD-011", outcome: "pass" }
      : {
          ...subject,
          requirement: "MOD-011",
          outcome: "fail",
          message: "no model is listed",
          expected: "at least one",
          observed: "none",
        };
    const ids = models.map(({ id }) => id).filter((id) => typeof id === "string" && id !== "");
    const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
    if (ids.length > 0) {
      yield repeated.length === 0
        ? { ...subject, requirement: "MOD-008", outcome: "pass" }
        : {
            ...subject,
            requirement: "MOD-008",
            outcome: "fail",
            message: "a model is listed twice",
            expected: "each identifier once",
            observed: showValue(repeated),
          };
    }
    for (const { created } of models) {
      if (typeof created !== "number") continue;
      const problem = created > 0 ? unixSecondsProblem(created, exchange, createdBounds) : "it is not after the epoch";
      yield problem === null
        ? { ...subject, requirement: "MOD-006", outcome: "pass" }
        : {
            ...subject,
            requirement: "MOD-006",
            outcome: "fail",
            message: `the creation time of a model is wrong: ${problem}`,
            expected: "whole Unix seconds, after 1970 and not in the future",
            observed: showValue(created),
          };
    }
  },
};

export interface ListedModel {
  readonly id: JsonValue | undefined;
  readonly created: JsonValue | undefined;
}

/** Entries of a successful model list; null when the exchange is none or has no array. */
export function readModels(exchange: Exchange): readonly ListedModel[] | null {
  if (exchange.endpoint !== "models" || !isDescribedSuccess(exchange)) return null;
  const data = responseObject(exchange)?.["data"];
  if (!Array.isArray(data)) return null;
  return (data as readonly JsonValue[]).map((entry) => {
    const { id, created } = isJsonObject(entry) ? entry : {};
    return { id, created };
  });
}
