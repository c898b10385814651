import { describe, expect, it } from "vitest";
import type { ExchangeJudge } from "../../../src/conformance/judging/judge.ts";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import { spoilExchange } from "../spoil-exchange.ts";
import { firstOfEachKind, readGolden } from "./read-golden.ts";
import { findContradiction } from "./short-ways.ts";
import { varyExchange } from "./vary-exchange.ts";

const { exchanges, context } = readGolden();
const judges = allJudges.filter((judge): judge is ExchangeJudge => judge.scope === "exchange");

const defects = [...firstOfEachKind(exchanges)].flatMap(([, golden]) => [...spoilExchange(golden), ...varyExchange(golden)]);

/** Every recorded answer, and every defect of one of each kind. */
const subjects = [...exchanges, ...defects.map(({ exchange }) => exchange)];

/** Equal lists have to be one and the same array. */
function differentArrays(judge: ExchangeJudge): readonly string[] {
  const lists = new Map<string, readonly string[]>();
  return exchanges
    .map((exchange) => judge.glance?.(exchange, context) ?? null)
    .filter((glanced) => glanced !== null)
    .filter((glanced) => {
      const known = lists.get(glanced.join()) ?? glanced;
      lists.set(glanced.join(), known);
      return known !== glanced;
    })
    .map((glanced) => glanced.join());
}

describe("the short ways of judges say what the long one says", () => {
  const quick = judges.filter((judge) => judge.concerns !== undefined || judge.glance !== undefined);
  it.each(quick.map((judge) => [judge.id, judge] as const))("%s", (_, judge) => {
    const found = subjects.map((exchange) => findContradiction(judge, exchange, context));
    expect(found.filter((contradiction) => contradiction !== null)).toEqual([]);
    expect(differentArrays(judge)).toEqual([]);
  });
});
