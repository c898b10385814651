import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { costUnitOf } from "./cost-unit.ts";
import { readUsageReport, type UsageReport } from "./usage-report.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

const caseId = "usage/like-costs";
const requirement = "USG-044";

/** Groups of requests of the case, in the order in which they are sent. */
export const costGroups = {
  alone: "alone",
  together: "together",
  streamed: "streamed",
  singles: "singles",
  batch: "batch",
} as const;

/** Labels of its reports. */
export const costLabels = {
  before: "before",
  /** The tries after one group. */
  after: (group: string): LabelSeries => labelSeries("after", group),
} as const;

/**
 * The groups that are compared, the difference between them, the same in the kind, and the factor by which prices may differ.
 * Discounts for batches are lawful; a quarter of the price is given by nobody for a form alone, and in company no request
 * becomes another one.
 */
const comparisons = [
  [costGroups.together, costGroups.alone, "answers given at the same time", "answers given at the same time", 1.5],
  [costGroups.streamed, costGroups.alone, "streamed answers", " answers", 4],
  [costGroups.batch, costGroups.singles, "a batch of texts", "a  of texts", 4],
] as const;

/** A cost of fewer units of what a report shows may be made of rounding. */
const unitsNeeded = 20;

interface Growth {
  readonly tokens: number;
  readonly costUsd: number;
  readonly seqs: readonly number[];
}

/**
 * No price is stated, so that a cost is held against that of like answers: the same work in one piece and as a stream, alone and
 * in company, text by text and in one batch. Tokens and costs are both those of the reports, so that a late report misleads nobody.
 */
export const likeCosts: RunJudge = {
  scope: "run",
  id: "like-costs",
  covers: [requirement],
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const own = exchanges.filter((exchange) => exchange.caseId === caseId && exchange.endpoint === "usage");
    if (!manifest.exclusive) return;
    const reports = own.map(readUsageReport).filter((report) => report !== null);
    const unit = costUnitOf(reports);
    for (const [index, start] of reports.entries()) {
      if (start.exchange.label !== costLabels.before) continue;
      const next = reports.findIndex(({ exchange }, at) => at > index && exchange.label === costLabels.before);
      yield* judgeRound(growthOf(reports.slice(index, next < 0 ? undefined : next)), unit);
    }
  },
};

function* judgeRound(growth: ReadonlyMap<string, Growth>, unit: number): Iterable<Occurrence> {
  for (const [name, twinName, what, kindOfIt, factor] of comparisons) {
    const [here, twin] = [growth.get(name), growth.get(twinName)];
    if (here === undefined || twin === undefined || !(here.tokens > 0 && twin.tokens > 0)) continue;
    const expected = (twin.costUsd / twin.tokens) * here.tokens;
    // Of two costs the greater one has to be clear of rounding; two that are nothing say nothing.
    if (!(Math.max(here.costUsd, expected) >= unitsNeeded * unit)) continue;
    const subject = { requirement, exchanges: [...here.seqs, ...twin.seqs] };
    const costs = `cost ${here.costUsd < expected ? "a fraction" : "a multiple"} of what like answers cost`;
    yield passOrFail(subject, here.costUsd >= expected / factor && here.costUsd <= expected * factor, () => ({
      place: what,
      around: ["", ` ${costs}`],
      kind: `${kindOfIt} ${costs}`,
      expected: `about ${dollars(expected)} for ${here.tokens} tokens, as ${twin.tokens} tokens cost ${dollars(twin.costUsd)}`,
      observed: dollars(here.costUsd),
    }));
  }
}

function dollars(usd: number): string {
  return `${Number(usd.toFixed(9))} dollars`;
}

/** By group: from the last report before its requests to the last one after them. */
function growthOf(reports: readonly UsageReport[]): ReadonlyMap<string, Growth> {
  const growth = new Map<string, Growth>();
  let [before] = reports;
  for (const name of Object.values(costGroups)) {
    const afterGroup = costLabels.after(name);
    const after = reports.findLast(({ exchange }) => afterGroup.has(exchange));
    if (before === undefined || after === undefined) continue;
    growth.set(name, {
      tokens: (after.totalTokens ?? Number.NaN) - (before.totalTokens ?? Number.NaN),
      costUsd: (after.totalCostUsd ?? Number.NaN) - (before.totalCostUsd ?? Number.NaN),
      seqs: [before.exchange.seq, after.exchange.seq],
    });
    before = after;
  }
  return growth;
}
