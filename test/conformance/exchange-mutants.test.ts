import { openJudgeContext } from "../../src/run/judge-context.ts";
import { beforeAll, describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { JudgeContext } from "../../src/conformance/judging/judge.ts";
import { judgeEach, type JudgedExchanges, judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { examineHealthy } from "./examine-healthy.ts";
import type { JudgedOccurrence } from "../../src/conformance/verdict/judged-occurrence.ts";
import { isWhole } from "../make/runner/sample.ts";
import type { Examined } from "./examine-reference.ts";
import { printSpoiled } from "./print-spoiled.ts";
import { spoilExchange } from "./spoil-exchange.ts";

/**
 * Defects that a fair judge does not tell, by the pattern of `kind: defect`, each with the reason. `survivors.txt` holds every
 * single one that these patterns excuse.
 */
const explanations: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  { pattern: /\/error\/message$/, why: "texts for people are not specified" },
  { pattern: /: (?:other text) \/error\/code$/, why: "the values of error.code are not listed" },
  {
    pattern: /^\d+ (?!.*429).*: status (?:500|503)$/,
    why: "a 5xx may be trouble of the moment: the row is inconclusive until it repeats",
  },
  { pattern: /^50\d models: status/, why: "a declared trigger that leads to another answer proves nothing" },
  { pattern: /header x-ratelimit-limit-\w+ in milliseconds$/, why: "a larger limit is a lawful limit" },
  { pattern: /header www-authenticate (?:garbled|duplicated)$/, why: "any challenge will do, and there may be several" },
  { pattern: /^422 \w[\w-]* malformed: .*\/error\/details/, why: "details of a body that is no JSON are not specified" },
  { pattern: /^422 .*: repeat \/error\/details\/0$/, why: "naming a field twice hides nothing" },
  {
    pattern: /^422 .*: (?:other text|list) \/error\/details\/0\/expected$/,
    why: "the words that tell the expected format are free",
  },
  {
    pattern: /^422 .*: list \/error\/details\/0\/field$/,
    why: "members of an entry are not specified: a list that holds the name still names it",
  },
  {
    pattern: /^422 transcriptions: (?:other text|number|drop|null|empty) \/error\/details\/0\/field$/,
    why: "the body as a whole is at fault, so no field has to be named",
  },
  { pattern: /^402 usage: status 200$/, why: "a usage report may be a part of billing, which is exempt (AMB-44)" },
  { pattern: /^404 \w+: status (?:400|403|409)$/, why: "an unknown model may be refused with any 4xx (AMB-06)" },
  { pattern: /^401 (?:agents|workspaces|verify): status 404$/, why: "a path that is only named need not exist (AMB-22)" },
  { pattern: /^200 (?:key|account)-settings: /, why: "the shape of the response to PATCH is not shown, nor its status" },
  { pattern: /: other text \/id$/, why: "identifiers are opaque" },
  {
    pattern: /^200 models: (?:other text \/data\/[01]\/(?:id|owned_by)|empty \/data\/[01]\/owned_by|drop \/data\/[01])$/,
    why: "which models there are and who owns them is free",
  },
  { pattern: /^200 usage.*: (?:emptied \/data|drop \/data\/[01])$/, why: "empty buckets may be left out" },
  { pattern: /^200 images.*: (?:other text|empty) \/data\/[01]\/revised_prompt$/, why: "the words of a revised prompt are free" },
  { pattern: /^200 transcriptions: (?:other text|empty) \/text$/, why: "what was heard is free" },
  { pattern: /^200 chat: (?:other text|empty) \/choices\/0\/message\/content$/, why: "what a model says is free" },
  { pattern: /^200 chat: other text \/choices\/0\/finish_reason$/, why: "further reasons for ending are not shown (AMB-02)" },
];

/** The first explanation that fits, null when there is none. */
function explainSurvivor(name: string): string | null {
  return explanations.find(({ pattern }) => pattern.test(name))?.why ?? null;
}

/** Accusations that the judges make of a case, as comparable texts; of single exchanges those in `judged`. */
function accuse(exchanges: readonly Exchange[], context: JudgeContext, judged: JudgedExchanges): ReadonlySet<string> {
  return accusations(judgeExchanges(exchanges, allJudges, context, judged));
}

/** Throws where a judge failed itself. */
function accusations(occurrences: readonly JudgedOccurrence[]): ReadonlySet<string> {
  const failed = occurrences.find(({ fault }) => fault !== undefined);
  if (failed !== undefined) throw new Error(failed.message);
  const bad = occurrences.filter(({ outcome }) => outcome === "fail" || outcome === "advisory");
  return new Set(bad.map(({ requirement, judge }) => `${requirement} ${judge}`));
}

/** Of the defects that judges of single answers report: one in so many is shown to those of the record, too. */
const recordShare = 10;

/** `200 chat`, `422 chat`, `200 chat stream`: one golden record stands for each kind of answer. */
function kindOf({ caseId, label, endpoint, response, intent }: Exchange): string {
  const stream = response?.stream == null ? "" : " stream";
  // No member is at fault that the details could name.
  const isBroken =
    intent.kind === "violates" &&
    (/^(?:malformed-json|no-object)$/.test(intent.condition) ||
      (intent.condition === "wrong-type" && intent.field === undefined));
  const broken = isBroken ? " malformed" : "";
  const form = otherForms.has(`${caseId} ${label}`) && response?.status === 200 ? ` of ${label}` : "";
  return `${response?.status} ${endpoint}${stream}${broken}${form}`;
}

/** Answers of one kind that hold something else than the first: other vectors, several items, a report of what was used. */
const otherForms: ReadonlySet<string> = new Set([
  "embeddings/encodings float",
  "embeddings/encodings base64",
  "embeddings/inputs batch",
  "images/number two",
  "usage/windows frame-4",
]);

/** Cases run at the same time: the order in which they were answered is not the same in every run. */
function byCase(one: Exchange, other: Exchange): number {
  const [mine, theirs] = [one, other].map(({ caseId }) => caseId ?? "");
  return mine === theirs ? one.seq - other.seq : (mine ?? "") < (theirs ?? "") ? -1 : 1;
}

/** All survivors below the reason that explains them. */
function listSurvivors(survivors: readonly string[]): string {
  const parts = explanations.map(({ why }) => {
    const own = survivors.filter((name) => explainSurvivor(name) === why).sort();
    const defects = new Map<string, string[]>();
    for (const [kind = "", defect = ""] of own.map((name) => name.split(": "))) {
      defects.set(kind, [...(defects.get(kind) ?? []), defect]);
    }
    return `# ${why} (${own.length})\n${printSpoiled(defects).join("\n")}\n`;
  });
  return parts.join("\n");
}

describe("generated defects in recorded answers", () => {
  let examined: Examined;
  const survivors: string[] = [];
  const stated = new Set<string>();
  const faults: string[] = [];
  let total = 0;

  beforeAll(async () => {
    examined = await examineHealthy();
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
      const whole = [...others, exchange];
      const before = accuse(whole, context, judgeEach(whole, allJudges, context));
      for (const spoiled of spoilExchange(exchange)) {
        total += 1;
        try {
          // Findings on each of the others alone are reported already.
          const judged = judgeEach([spoiled.exchange], allJudges, context);
          const alone = accusations([...judged.values()].flat());
          // Judges of the record are asked where those of single answers say nothing, and of a share, lest they fail themselves.
          const isReported = [...alone].some((text) => !before.has(text));
          const isAsked = !isReported || isWhole || total % recordShare === 0;
          const after = isAsked ? accuse([...others, spoiled.exchange], context, judged) : alone;
          const said = [...after].filter((text) => !before.has(text));
          for (const text of said) stated.add(text.split(" ")[0]!);
          if (said.length === 0) survivors.push(`${kind}: ${spoiled.name}`);
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

  it("show each row on the shape of an answer", () => {
    const rows = allJudges.filter(({ id }) => shapes.has(id)).flatMap(({ covers }) => covers);
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => !stated.has(row))).toEqual([]);
  });

  it("need every explanation", () => {
    const used = new Set(survivors.map(explainSurvivor));
    expect(explanations.map(({ why }) => why).filter((why) => !used.has(why))).toEqual([]);
  });
});

const shapes: ReadonlySet<string> = new Set([
  "embedding-list-float-shape",
  "embedding-list-base64-shape",
  "image-result-shape",
  "transcription-shape",
  "model-list-shape",
  "usage-report-shape",
]);
