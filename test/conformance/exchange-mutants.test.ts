import { beforeAll, describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange.ts";
import { HarnessFault } from "../../src/conformance/harness-fault.ts";
import { judgeExchanges } from "../../src/conformance/judge-exchanges.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { contextOf, type Examined, examineReference } from "./examine-reference.ts";
import { explainSurvivor, explanations } from "./explained-survivors.ts";
import { spoilExchange } from "./spoil-exchange.ts";

/** Accusations that the judges make of a case, as comparable texts. */
function accuse(exchanges: readonly Exchange[], context: ReturnType<typeof contextOf>): ReadonlySet<string> {
  const bad = judgeExchanges(exchanges, allJudges, context).filter(({ outcome }) => outcome === "fail" || outcome === "advisory");
  return new Set(bad.map(({ requirement, judge }) => `${requirement} ${judge}`));
}

/** `200 chat`, `422 chat`, `200 chat stream`: one golden record stands for each kind of answer. */
function kindOf({ endpoint, response, intent }: Exchange): string {
  const stream = response?.stream == null ? "" : " stream";
  const broken = intent.kind === "violates" && intent.condition === "malformed-json" ? " malformed" : "";
  return `${response?.status} ${endpoint}${stream}${broken}`;
}

describe("generated defects in recorded answers", () => {
  let examined: Examined;
  const survivors: string[] = [];
  const faults: string[] = [];
  let total = 0;

  beforeAll(async () => {
    examined = await examineReference();
    const context = contextOf(examined.manifest);
    const golden = new Map<string, Exchange>();
    for (const exchange of examined.exchanges) {
      const known = exchange.intent.kind === "valid" || exchange.intent.kind === "violates";
      if (known && exchange.endpoint !== null && !golden.has(kindOf(exchange))) golden.set(kindOf(exchange), exchange);
    }
    for (const [kind, exchange] of golden) {
      const others = examined.exchanges.filter((one) => one.caseId === exchange.caseId && one.seq !== exchange.seq);
      const before = accuse([...others, exchange], context);
      for (const spoiled of spoilExchange(exchange)) {
        total += 1;
        try {
          const after = accuse([...others, spoiled.exchange], context);
          if (![...after].some((text) => !before.has(text))) survivors.push(`${kind}: ${spoiled.name}`);
        } catch (error) {
          if (!(error instanceof HarnessFault)) throw error;
          faults.push(`${kind}: ${spoiled.name}: ${error.message}`);
        }
      }
    }
  }, 120_000);

  it("number in the thousands", () => {
    expect(total).toBeGreaterThan(2000);
  });

  it("never make a judge fail itself", () => {
    expect(faults).toEqual([]);
  });

  it("are all told, or it is known why not", () => {
    expect(survivors.filter((name) => explainSurvivor(name) === null)).toEqual([]);
  });

  it("need every explanation", () => {
    const used = new Set(survivors.map(explainSurvivor));
    expect(explanations.map(({ why }) => why).filter((why) => !used.has(why))).toEqual([]);
  });
});
