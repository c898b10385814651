import { openJudgeContext } from "../../src/run/record/judge-context.ts";
import { beforeAll, describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { JudgeContext } from "../../src/conformance/judging/judge.ts";
import { judgeEach, type JudgedExchanges, judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { type Examined, examineReference } from "./examine-reference.ts";
import { explainSurvivor, explanations } from "./explained-survivors.ts";
import { spoilExchange } from "./spoil-exchange.ts";

/** Accusations that the judges make of a case, as comparable texts. Throws where a judge failed itself. */
function accuse(exchanges: readonly Exchange[], context: JudgeContext, known?: JudgedExchanges): ReadonlySet<string> {
  const occurrences = judgeExchanges(exchanges, allJudges, context, judgeEach(exchanges, allJudges, context, known));
  const failed = occurrences.find(({ fault }) => fault !== undefined);
  if (failed !== undefined) throw new Error(failed.message);
  const bad = occurrences.filter(({ outcome }) => outcome === "fail" || outcome === "advisory");
  return new Set(bad.map(({ requirement, judge }) => `${requirement} ${judge}`));
}

/** `200 chat`, `422 chat`, `200 chat stream`: one golden record stands for each kind of answer. */
function kindOf({ endpoint, response, intent }: Exchange): string {
  const stream = response?.stream == null ? "" : " stream";
  // No member is at fault that the details could name.
  const isBroken =
    intent.kind === "violates" &&
    (/^(?:malformed-json|no-object)$/.test(intent.condition) ||
      (intent.condition === "wrong-type" && intent.field === undefined));
  const broken = isBroken ? " malformed" : "";
  return `${response?.status} ${endpoint}${stream}${broken}`;
}

/** Cases run at the same time: the order in which they were answered is not the same in every run. */
function byCase(one: Exchange, other: Exchange): number {
  const [mine, theirs] = [one, other].map(({ caseId }) => caseId ?? "");
  return mine === theirs ? one.seq - other.seq : (mine ?? "") < (theirs ?? "") ? -1 : 1;
}

/** All survivors below the reason that explains them. */
function listSurvivors(survivors: readonly string[]): string {
  const parts = explanations.map(({ why }) => {
    const own = survivors.filter((name) => explainSurvivor(name) === why).sort();
    return `# ${why} (${own.length})\n${own.join("\n")}\n`;
  });
  return parts.join("\n");
}

describe("generated defects in recorded answers", () => {
  let examined: Examined;
  const survivors: string[] = [];
  const faults: string[] = [];
  let total = 0;

  beforeAll(async () => {
    examined = await examineReference();
    const context = openJudgeContext(examined.manifest);
    const golden = new Map<string, Exchange>();
    for (const exchange of examined.exchanges.toSorted(byCase)) {
      // One request of each operation, before anything was used: the sums of its report are 0.
      const isBare = exchange.caseId === "faults/replacement-key-everywhere";
      const known = (exchange.intent.kind === "valid" && !isBare) || exchange.intent.kind === "violates";
      if (known && exchange.endpoint !== null && !golden.has(kindOf(exchange))) golden.set(kindOf(exchange), exchange);
    }
    for (const [kind, exchange] of golden) {
      const others = examined.exchanges.filter((one) => one.caseId === exchange.caseId && one.seq !== exchange.seq);
      const known = judgeEach(others, allJudges, context);
      const before = accuse([...others, exchange], context, known);
      for (const spoiled of spoilExchange(exchange)) {
        total += 1;
        try {
          const after = accuse([...others, spoiled.exchange], context, known);
          if (![...after].some((text) => !before.has(text))) survivors.push(`${kind}: ${spoiled.name}`);
        } catch (error) {
          faults.push(`${kind}: ${spoiled.name}: ${String(error)}`);
        }
      }
    }
  });

  it("number in the thousands", () => {
    expect(total).toBeGreaterThan(2000);
  });

  it("never make a judge fail itself", () => {
    expect(faults).toEqual([]);
  });

  it("are all reported, or it is known why not", () => {
    expect(survivors.filter((name) => explainSurvivor(name) === null)).toEqual([]);
  });

  it("survive exactly as listed: a defect that was reported once is not lost to a pattern", async () => {
    await expect(listSurvivors(survivors)).toMatchFileSnapshot("survivors.txt");
  });

  it("need every explanation", () => {
    const used = new Set(survivors.map(explainSurvivor));
    expect(explanations.map(({ why }) => why).filter((why) => !used.has(why))).toEqual([]);
  });
});
