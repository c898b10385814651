import { describe, expect, it } from "vitest";
import type { ExchangeJudge, ExchangeKind } from "../../src/conformance/judge.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import type { Exchange } from "../../src/core/exchange.ts";
import { spoilExchange } from "../conformance/spoil-exchange.ts";
import { firstOfEachKind, readGolden } from "./read-golden.ts";
import { varyExchange } from "./vary-exchange.ts";

const { exchanges, context } = readGolden();
const judges = allJudges.filter((judge): judge is ExchangeJudge => judge.scope === "exchange");

interface Subject {
  readonly exchange: Exchange;
  readonly kind: ExchangeKind;
}

const defects = [...firstOfEachKind(exchanges)].flatMap(([, golden]) => [...spoilExchange(golden), ...varyExchange(golden)]);

/** Every recorded answer, and every defect of one of each kind. */
const subjects: readonly Subject[] = [...exchanges, ...defects.map(({ exchange }) => exchange)].flatMap((exchange) => {
  const { response, endpoint, intent } = exchange;
  if (response === null) return [];
  return [{ exchange, kind: { endpoint, status: response.status, intent: intent.kind, streamed: response.stream !== null } }];
});

/** What the short ways of a judge say otherwise than its long one. */
function contradictions(judge: ExchangeJudge): readonly string[] {
  const found: string[] = [];
  const lists = new Map<string, readonly string[]>();
  for (const { exchange, kind } of subjects) {
    const isConcerned = judge.concerns?.(kind) ?? true;
    const glanced = isConcerned ? (judge.glance?.(exchange, context) ?? null) : null;
    if (isConcerned && glanced === null) continue;
    const said = [...judge.judge(exchange, context)];
    const told = said.map(({ requirement }) => requirement).join();
    if (glanced === null) {
      if (said.length > 0) found.push(`#${exchange.seq} is no concern but yields ${told}`);
      continue;
    }
    const short = glanced.join();
    if (short !== told) found.push(`#${exchange.seq} yields ${told} but ${short} at a glance`);
    const accusing = said.find(({ outcome }) => outcome === "fail" || outcome === "advisory");
    if (accusing !== undefined) found.push(`#${exchange.seq} is violated (${accusing.message}) but passes at a glance`);
    if ((lists.get(short) ?? glanced) !== glanced) found.push(`two arrays for ${short}`);
    lists.set(short, glanced);
  }
  if (judge.glance !== undefined && lists.size === 0) found.push("never tells anything at a glance");
  return found;
}

describe("the short ways of judges say what the long one says", () => {
  const quick = judges.filter((judge) => judge.concerns !== undefined || judge.glance !== undefined);
  it.each(quick.map((judge) => [judge.id, judge] as const))("%s", (_, judge) => {
    expect(contradictions(judge)).toEqual([]);
  });
});
