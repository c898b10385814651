import type { Exchange } from "../../../core/exchange/exchange.ts";
import { isDescribedSuccess, responseObject, targetNowSeconds } from "../../judging/exchange-view.ts";
import { nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isJsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { isPlainUnixSeconds, unixSecondsProblem } from "../../judging/unix-seconds.ts";

/** Models are old; a clock may be a day ahead. */
const createdBounds = { pastSeconds: Number.POSITIVE_INFINITY, futureSeconds: 86_400 };

/** Identifiers and creation times within one list. */
export const modelList: ExchangeJudge = {
  scope: "exchange",
  id: "model-list",
  covers: ["MOD-006", "MOD-008", "MOD-011"],
  conclusive: true,
  concerns: ({ endpoint, status }) => endpoint === "models" && status < 300,
  glance(exchange) {
    const entries = readEntries(exchange);
    if (entries === null) return nothingGlanced;
    const now = targetNowSeconds(exchange);
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index] as JsonValue;
      if (!isJsonObject(entry)) return null;
      const { id, created } = entry;
      if (typeof id !== "string" || id === "") return null;
      if (typeof created !== "number" || created <= 0 || !isPlainUnixSeconds(created, now, createdBounds)) return null;
    }
    return hasRepeatedId(entries) ? null : rowsOf(entries.length);
  },
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
  const entries = readEntries(exchange);
  if (entries === null) return null;
  return entries.map((entry) => {
    const { id, created } = isJsonObject(entry) ? entry : {};
    return { id, created };
  });
}

function readEntries(exchange: Exchange): readonly JsonValue[] | null {
  if (exchange.endpoint !== "models" || !isDescribedSuccess(exchange)) return null;
  const data = responseObject(exchange)?.["data"];
  return Array.isArray(data) ? (data as readonly JsonValue[]) : null;
}

/** Few are compared with each other sooner than gathered. */
const fewModels = 8;

function hasRepeatedId(entries: readonly JsonValue[]): boolean {
  if (entries.length > fewModels) {
    const ids = new Set<JsonValue | undefined>();
    for (let index = 0; index < entries.length; index += 1) ids.add(idOf(entries[index]));
    return ids.size < entries.length;
  }
  for (let index = 1; index < entries.length; index += 1) {
    const id = idOf(entries[index]);
    for (let before = 0; before < index; before += 1) if (idOf(entries[before]) === id) return true;
  }
  return false;
}

function idOf(entry: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(entry) ? entry["id"] : undefined;
}

/** Longer lists are judged in full: every length has an array of its own. */
const modelsAtMost = 1000;
const rowsByLength: (readonly string[] | undefined)[] = [];

/** A row for each creation time. */
function rowsOf(models: number): readonly string[] | null {
  if (models === 0 || models > modelsAtMost) return null;
  return (rowsByLength[models] ??= ["MOD-011", "MOD-008", ...Array.from({ length: models }, () => "MOD-006")]);
}
