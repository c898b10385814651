import type { Exchange } from "../../../core/exchange.ts";
import { isUnplannedTrouble, responseObject, statusOf, troubleOf } from "../../exchange-view.ts";
import type { Occurrence, RunJudge } from "../../judge.ts";
import { isJsonObject, type JsonValue, showValue } from "../../json-value.ts";

/** An identifier of another workspace and an unknown one get the same answer. */
export const notFoundAnswers: RunJudge = {
  scope: "run",
  id: "not-found-answers",
  covers: ["ERR-019", "ERR-037", "KEY-018"],
  *judge(exchanges): Iterable<Occurrence> {
    for (const foreign of exchanges) {
      if (foreign.intent.kind !== "violates" || foreign.intent.condition !== "foreign-id") continue;
      const unknown = exchanges.findLast(
        (exchange) =>
          exchange.caseId === foreign.caseId &&
          exchange.seq < foreign.seq &&
          exchange.intent.kind === "violates" &&
          exchange.intent.condition === "unknown-id",
      );
      if (unknown !== undefined) yield* compareAnswers(foreign, unknown);
    }
  },
};

function* compareAnswers(foreign: Exchange, unknown: Exchange): Iterable<Occurrence> {
  const exchanges = [foreign.seq, unknown.seq];
  const trouble = [foreign, unknown].find(isUnplannedTrouble);
  if (trouble !== undefined) {
    for (const requirement of ["KEY-018", "ERR-019"]) {
      yield { requirement, outcome: "inconclusive", exchanges, message: troubleOf(trouble) };
    }
    return;
  }
  const difference = findDifference(foreign, unknown);
  for (const requirement of ["KEY-018", "ERR-019"]) {
    yield difference === null
      ? { requirement, outcome: "pass", exchanges }
      : {
          requirement,
          outcome: "fail",
          exchanges,
          message: `the answer tells a foreign identifier from an unknown one by its ${difference.what}`,
          expected: `the same ${difference.what}: ${difference.unknown}`,
          observed: difference.foreign,
        };
  }
  yield {
    requirement: "ERR-037",
    outcome: "observed",
    exchanges,
    message: "time of the two answers",
    answer: "recorded",
    observed: `${durationMs(foreign)} ms for the foreign identifier, ${durationMs(unknown)} ms for the unknown one`,
  };
}

interface Difference {
  readonly what: "status" | "header fields" | "body";
  readonly foreign: string;
  readonly unknown: string;
}

function findDifference(foreign: Exchange, unknown: Exchange): Difference | null {
  const pairs = [
    ["status", String(statusOf(foreign)), String(statusOf(unknown))],
    ["header fields", fieldNames(foreign), fieldNames(unknown)],
    ["body", maskedBody(foreign), maskedBody(unknown)],
  ] as const;
  const found = pairs.find(([, one, other]) => one !== other);
  return found === undefined ? null : { what: found[0], foreign: found[1], unknown: found[2] };
}

/** Names only: values of dates, limits and request ids differ lawfully. Connection fields belong to the hop. */
function fieldNames({ response }: Exchange): string {
  const names = (response?.headers ?? []).map(([name]) => name.toLowerCase());
  return [...new Set(names)]
    .filter((name) => !hopFields.has(name))
    .sort()
    .join(", ");
}

const hopFields: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding", "content-length"]);

/** The body without what differs between any two requests: the identifier asked for, request ids, times. */
function maskedBody(exchange: Exchange): string {
  const body = responseObject(exchange);
  const id = decodeURIComponent(exchange.request.path.split("/").at(-1) ?? "");
  if (body === null) return (exchange.response?.body?.text ?? "").replaceAll(id, "<id>");
  return showValue(maskValue(body, id), 2000);
}

function maskValue(value: JsonValue, id: string): JsonValue {
  if (typeof value === "string") return id === "" ? value : value.replaceAll(id, "<id>");
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => maskValue(item, id));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, varies(name) ? "<varies>" : maskValue(member, id)]),
  );
}

function varies(name: string): boolean {
  return /^(?:request|trace|correlation)[_-]?id$|^(?:time|timestamp|date)$/i.test(name);
}

function durationMs({ timing }: Exchange): number {
  return Math.round((timing.headersMs ?? timing.endMs) - timing.sentMs);
}
