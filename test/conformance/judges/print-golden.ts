import { judgeExchanges, kindOf } from "../../../src/conformance/verdict/judge-exchanges.ts";
import type { Judge, Occurrence } from "../../../src/conformance/judging/judge.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import { printSpoiled } from "../print-spoiled.ts";
import { spoilExchange } from "../spoil-exchange.ts";
import { firstOfEachKind, readGolden } from "./read-golden.ts";
import { isOwnWord, printAll, printOccurrence } from "./print-occurrences.ts";
import { varyExchange } from "./vary-exchange.ts";

const { exchanges, context } = readGolden();

interface Spoiled {
  readonly kind: string;
  readonly name: string;
  readonly golden: Exchange;
  readonly exchange: Exchange;
  /** The rest of its case. */
  readonly others: readonly Exchange[];
}

/** Answers that differ in more than their words; the others would repeat them. */
const shown =
  /^(?:200 \w[\w-]*(?: stream)?|200 chat probe-unspecified|401 chat|402 chat|403 key-settings|404 (?:other housekeeping|chat|key-settings)|422 (?:chat|chat malformed|usage|key-settings|transcriptions)|429 .*|50\d models)$/;

/** Spoiled fields of rate limits look the same on every answer: a few kinds stand for all. */
const limited = /^(?:200 models|200 chat stream|401 chat|429 (?:models|chat) limit|404 other housekeeping|503 models)$/;

const spoiled: readonly Spoiled[] = [...firstOfEachKind(exchanges)]
  .filter(([kind]) => shown.test(kind))
  .flatMap(([kind, golden]) => {
    const others = exchanges.filter(({ caseId, seq }) => caseId === golden.caseId && seq !== golden.seq);
    const defects = spoilExchange(golden).filter(({ name }) => !name.startsWith("header x-ratelimit") || limited.test(kind));
    return [...defects, ...varyExchange(golden)].map(({ name, exchange }) => ({
      kind,
      name,
      golden,
      exchange,
      others,
    }));
  });

const kinds = [...exchanges, ...spoiled.map(({ exchange }) => exchange)].map((exchange) => kindOf(factsOf(exchange)));

/** How many of the records above are no concern of a judge: it is not asked about them. */
function printConcern(judge: Judge): readonly string[] {
  if (judge.scope === "run" || judge.concerns === undefined) return [];
  const left = kinds.filter((kind) => judge.concerns?.(kind) === false).length;
  return [`${left} left alone, ${kinds.length - left} judged`];
}

/** Defects that a judge states in the same words, but for numbers and names, stand together over the words of the first. */
function printByShape(judge: Judge): readonly string[] {
  const shapes = new Map<string, { readonly names: Map<string, string[]>; readonly lines: readonly string[] }>();
  const before = new Map<Exchange, readonly string[]>();
  for (const one of spoiled) {
    const said = before.get(one.golden) ?? printSaid(judge, one.golden, one.others);
    before.set(one.golden, said);
    const lines = printChanges(said, printSaid(judge, one.exchange, one.others));
    if (lines.length === 0) continue;
    const shape = lines
      .join("\n")
      .replaceAll(/ (?:GET|POST|PATCH) \S+/g, "")
      .replaceAll(/\[observed .*/g, "")
      .replaceAll(/\d+/g, "0");
    const { names } = shapes.get(shape) ?? { names: new Map<string, string[]>() };
    if (!shapes.has(shape)) shapes.set(shape, { names, lines });
    names.set(one.kind, [...(names.get(one.kind) ?? []), one.name]);
  }
  return [...shapes.values()].flatMap(({ names, lines }) => [...printSpoiled(names), ...lines]);
}

/** The statement of a judge about an exchange; for one of the record, beside the rest of the case. */
function printSaid(judge: Judge, exchange: Exchange, others: readonly Exchange[]): readonly string[] {
  if (judge.scope === "exchange") return judgeExchanges([exchange], [judge], context).filter(isOwnWord).map(printWithKind);
  return judgeExchanges([...others, exchange], [judge], context, new Map())
    .filter(isOwnWord)
    .map(printWithKind);
}

/** With its kind, where the message alone does not show it: ids of findings are made of it. */
function printWithKind(occurrence: Occurrence): string {
  const { kind, message, place = "" } = occurrence;
  const isShown = kind === undefined || `${place}${kind}` === message;
  return `${printOccurrence(occurrence)}${isShown ? "" : ` [kind ${kind}]`}`;
}

/** The changes of a judge's statement because of one defect, `-` before and `+` after it. */
function printChanges(said: readonly string[], says: readonly string[]): readonly string[] {
  return [
    ...said.filter((line) => !says.includes(line)).map((line) => `  - ${line}`),
    ...says.filter((line) => !said.includes(line)).map((line) => `  + ${line}`),
  ];
}

/** The golden file of a judge: its statements about a lawful run, and about each defect in it. */
export function printGolden(judge: Judge): string {
  const lawful = printAll(judgeExchanges(exchanges, [judge], context).filter(isOwnWord));
  return [...lawful, "", ...printConcern(judge), ...printByShape(judge), ""].join("\n");
}

/** The facts about a judge that the harness knows without asking it. */
export function describeJudge(judge: Judge): string {
  const marks = [judge.conclusive === true ? ", conclusive" : "", judge.boundByIntent === true ? ", bound by intent" : ""];
  return `${judge.id} (${judge.scope}${marks.join("")}): ${judge.covers.join(" ")}`;
}
