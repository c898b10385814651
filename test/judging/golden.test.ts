import { describe, expect, it } from "vitest";
import { judgeExchanges } from "../../src/conformance/judge-exchanges.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import type { Judge } from "../../src/conformance/judge.ts";
import type { Exchange } from "../../src/core/exchange.ts";
import { spoilExchange } from "../conformance/spoil-exchange.ts";
import { firstOfEachKind, readGolden } from "./read-golden.ts";
import { tellAll, tellOccurrence } from "./tell-occurrences.ts";

const { exchanges, context } = readGolden();

interface Spoiled {
  readonly name: string;
  readonly golden: Exchange;
  readonly exchange: Exchange;
  /** The rest of its case. */
  readonly others: readonly Exchange[];
}

/** Spoiled fields of rate limits look the same on every answer: a few kinds stand for all. */
const limited = /^(?:200 models|200 chat stream|401 models|429 \w+|404 other|404 models|503 models)\b/;

const spoiled: readonly Spoiled[] = [...firstOfEachKind(exchanges)].flatMap(([kind, golden]) => {
  const others = exchanges.filter(({ caseId, seq }) => caseId === golden.caseId && seq !== golden.seq);
  return spoilExchange(golden)
    .filter(({ name }) => !name.startsWith("header x-ratelimit") || limited.test(kind))
    .map(({ name, exchange }) => ({ name: `${kind}: ${name}`, golden, exchange, others }));
});

/** Two defects that a judge tells in the same words, but for numbers, are the same to it: the first is shown. */
function firstOfEachShape(judge: Judge): readonly string[] {
  const shapes = new Set<string>();
  return spoiled.flatMap((one) => {
    const lines = tellChanges(judge, one);
    const shape = lines
      .join("\n")
      .replaceAll(/\d+/g, "0")
      .replaceAll(/\[observed .*/g, "");
    if (lines.length === 0 || shapes.has(shape)) return [];
    shapes.add(shape);
    return [one.name, ...lines];
  });
}

/** What a judge says otherwise because of one defect, `-` before and `+` after it. */
function tellChanges(judge: Judge, { golden, exchange, others }: Spoiled): readonly string[] {
  const record = judge.scope === "exchange" ? [] : others;
  const [said, says] = [golden, exchange].map((one) => judgeExchanges([...record, one], [judge], context).map(tellOccurrence));
  return [
    ...said!.filter((line) => !says!.includes(line)).map((line) => `  - ${line}`),
    ...says!.filter((line) => !said!.includes(line)).map((line) => `  + ${line}`),
  ];
}

describe("what each judge says about a lawful run, and about each defect in it", () => {
  it.each(allJudges.map((judge) => [judge.id, judge] as const))("%s", async (id, judge) => {
    const lawful = tellAll(judgeExchanges(exchanges, [judge], context));
    await expect([...lawful, "", ...firstOfEachShape(judge), ""].join("\n")).toMatchFileSnapshot(`golden/${id}.txt`);
  });
});
