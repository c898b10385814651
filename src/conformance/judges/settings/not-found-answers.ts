import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import { isUnplannedTrouble, troubleOf } from "../../judging/trouble.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isJsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { violates } from "../../judging/subjects.ts";
import { withoutNumbers } from "../../judging/wrong-words.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** An identifier of another workspace and an unknown one get the same answer. */
export const notFoundAnswers: RunJudge = {
  scope: "run",
  id: "not-found-answers",
  covers: ["ERR-019", "ERR-037", "KEY-018"],
  *judge(exchanges): Iterable<Occurrence> {
    for (const foreign of exchanges) {
      if (!violates(foreign, "foreign-id")) continue;
      const unknown = exchanges.filter(
        (exchange) => exchange.caseId === foreign.caseId && exchange.seq < foreign.seq && violates(exchange, "unknown-id"),
      );
      const [one, other] = unknown.slice(-2);
      if (one !== undefined && other !== undefined) yield* compareAnswers(foreign, one, other);
    }
    for (const foreign of exchanges.filter(({ label }) => label === invalidLabels.foreign)) {
      const before = exchanges.filter(({ caseId, seq }) => caseId === foreign.caseId && seq < foreign.seq);
      const one = before.findLast(({ label }) => label === invalidLabels.unknown);
      const other = before.findLast(({ label }) => label === invalidLabels.unknownToo);
      if (one !== undefined && other !== undefined) yield* compareAnswers(foreign, one, other);
    }
  },
};

/** Labels of changes with an invalid body, which reveal no more about a foreign identifier than valid ones. */
export const invalidLabels = {
  unknown: "unknown-invalid",
  unknownToo: "unknown-invalid-too",
  foreign: "foreign-invalid",
} as const;

function* compareAnswers(foreign: ExchangeFacts, unknown: ExchangeFacts, other: ExchangeFacts): Iterable<Occurrence> {
  const exchanges = [foreign.seq, unknown.seq, other.seq];
  const trouble = [foreign, unknown, other].find(isUnplannedTrouble);
  if (trouble !== undefined) {
    for (const requirement of ["KEY-018", "ERR-019"]) {
      yield { requirement, outcome: "inconclusive", exchanges, message: troubleOf(trouble) };
    }
    return;
  }
  const difference = findDifference(foreign, unknown, other);
  const distinguishes = "the answer distinguishes a foreign identifier from an unknown one by its";
  const { what = "", foreign: own = "", unknown: usual = "" } = difference ?? {};
  for (const requirement of ["KEY-018", "ERR-019"]) {
    yield passOrFail({ requirement, exchanges }, difference === null, () => ({
      kind: `${distinguishes} ${withoutNumbers(what)}`,
      message: `${distinguishes} ${what}`,
      expected: `the same ${what}: ${usual}`,
      observed: own,
    }));
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
  /** `status`, `header field x-where`, `body member error.code`. */
  readonly what: string;
  readonly foreign: string;
  readonly unknown: string;
}

/** The first trait that two unknown identifiers share and the foreign one does not. */
function findDifference(foreign: ExchangeFacts, unknown: ExchangeFacts, other: ExchangeFacts): Difference | null {
  const [own, one, two] = [traitsOf(foreign), traitsOf(unknown), traitsOf(other)];
  const names = new Set([...own.keys(), ...one.keys(), ...two.keys()]);
  for (const what of names) {
    const isSteady = one.get(what) === two.get(what);
    if (isSteady && own.get(what) !== one.get(what)) {
      return { what, foreign: own.get(what) ?? "absent", unknown: one.get(what) ?? "absent" };
    }
  }
  return null;
}

/** Everything that could distinguish one answer from another, by name. */
function traitsOf(exchange: ExchangeFacts): ReadonlyMap<string, string> {
  const traits = new Map<string, string>([["status", String(exchange.status)]]);
  for (const name of fieldNames(exchange)) traits.set(`header field ${name}`, "present");
  const { path } = exchange.request;
  const id = decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
  const mask = (text: string): string => text.replaceAll(id, "<id>");
  const body = exchange.responseObject;
  if (body === null) return traits.set("body", mask(exchange.response?.body?.text ?? ""));
  for (const [member, value] of leaves(body, "")) {
    if (!varying.test(member)) traits.set(`body member ${member}`, mask(showValue(value, 500)));
  }
  return traits;
}

function* leaves(value: JsonValue, path: string): Iterable<readonly [string, JsonValue]> {
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly JsonValue[]).entries()) yield* leaves(item, `${path}[${index}]`);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) yield* leaves(member, path === "" ? name : `${path}.${name}`);
  } else yield [path, value];
}

/** Names only: values of dates, limits and request ids differ lawfully. Connection fields belong to the hop. */
function fieldNames({ response }: ExchangeFacts): readonly string[] {
  const names = (response?.headers ?? []).map(([name]) => name.toLowerCase());
  return [...new Set(names)].filter((name) => !hopFields.has(name));
}

const hopFields: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding", "content-length"]);

/** Members that differ between any two requests. */
const varying = /(?:^|\.)(?:request|trace|correlation)[_-]?id$|(?:^|\.)(?:time|timestamp|date)$/i;

/** As it was read: nobody judges by it. */
function durationMs(exchange: ExchangeFacts): number {
  const { sent, answered, ended } = momentsOf(exchange);
  return Math.round((answered ?? ended).latestMs - sent.earliestMs);
}
