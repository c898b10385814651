import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isDescribedSuccess } from "../../judging/subjects.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { isJsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { unixSecondsProblem } from "../../judging/unix-seconds.ts";
import { inContext } from "../../judging/wrong-words.ts";

/** Models are old; a clock may be a day ahead. */
const createdBounds = { pastSeconds: Number.POSITIVE_INFINITY, futureSeconds: 86_400 };

/** Identifiers and creation times within one list. */
export const modelList: ExchangeJudge = {
  scope: "exchange",
  id: "model-list",
  covers: ["MOD-006", "MOD-008", "MOD-011"],
  conclusive: true,
  concerns: ({ endpoint, status }) => endpoint === "models" && status < 300,
  judge(exchange, outcomes) {
    const models = readModels(exchange);
    if (models === null) return;
    if (models.length > 0) outcomes.pass("MOD-011");
    else outcomes.fail("MOD-011", { kind: "no model is listed", expected: "at least one", observed: "none" });
    judgeIds(models, outcomes);
    for (const { created } of models) if (typeof created === "number") judgeCreated(created, exchange, outcomes);
  },
};

function judgeIds(models: readonly ListedModel[], outcomes: Outcomes): void {
  const seen = new Set<string>();
  const repeated: string[] = [];
  for (const { id } of models) {
    if (typeof id !== "string" || id === "") continue;
    if (seen.has(id)) repeated.push(id);
    seen.add(id);
  }
  if (seen.size === 0) return;
  outcomes.passOrFail("MOD-008", repeated.length === 0, () => ({
    kind: "a model is listed twice",
    expected: "each identifier once",
    observed: showValue(repeated),
  }));
}

function judgeCreated(created: number, exchange: ExchangeFacts, outcomes: Outcomes): void {
  const problem = created > 0 ? unixSecondsProblem(created, exchange, createdBounds) : { kind: "it is not after the epoch" };
  outcomes.passOrFail("MOD-006", problem === null, () => ({
    ...inContext("the creation time of a model is wrong: ", problem),
    expected: "whole Unix seconds, after 1970 and not in the future",
    observed: showValue(created),
  }));
}

export interface ListedModel {
  readonly id: JsonValue | undefined;
  readonly created: JsonValue | undefined;
}

/** Entries of a successful model list; null when the exchange is none or has no array. */
export function readModels(exchange: ExchangeFacts): readonly ListedModel[] | null {
  if (exchange.endpoint !== "models" || !isDescribedSuccess(exchange)) return null;
  const data = exchange.responseObject?.["data"];
  if (!Array.isArray(data)) return null;
  return (data as readonly JsonValue[]).map((entry) => {
    const { id, created } = isJsonObject(entry) ? entry : {};
    return { id, created };
  });
}

/** Identifiers of all lists; undefined among them where an entry has none. */
export function listedIds(exchanges: readonly ExchangeFacts[]): ReadonlySet<JsonValue | undefined> {
  const ids = new Set<JsonValue | undefined>();
  for (const exchange of exchanges) for (const { id } of readModels(exchange) ?? []) ids.add(id);
  return ids;
}
