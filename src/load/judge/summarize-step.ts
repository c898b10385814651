import type { LoadStep, LoadProfileResult } from "../../core/result/load-result.ts";
import type { Estimate } from "../statistics/estimate.ts";
import { writeTimes } from "../statistics/percentile-interval.ts";
import { estimateShare } from "../statistics/share-interval.ts";
import { timesToDecide } from "../statistics/times-to-decide.ts";
import { goodShare } from "../samples/good-share.ts";
import { orderByIntent } from "../samples/order-by-intent.ts";
import { countTotals, ratesOf, type Totals } from "../samples/count-totals.ts";
import { latenessOf } from "../generator/judge-health.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { sampleFloor, reportedPercentile } from "../statistics/percentile-estimate.ts";

/** A rate is held when this share of its requests meets the service level. */
const leastGood = 0.95;
/** Requests from which on 95 % can be reported: the floor of the 95th percentile. */
const leastRequests = sampleFloor(100 * leastGood);
/** Share of the asked rate that must fall due: gaps drawn by chance may leave a short step half empty. */
const leastOffered = 0.8;

export interface TriedRate {
  readonly records: readonly LoadRecord[];
  /** The rate that the search asked for. */
  readonly ratePerSecond: number;
  readonly lengthMs: number;
}

/** One rate of a sweep or bisection. */
export function summarizeStep({ ratePerSecond, lengthMs, ...tried }: TriedRate): LoadStep {
  const records = orderByIntent(tried.records);
  const totals = countTotals(records);
  const { offered, achieved, goodput } = ratesOf(totals, (count) => (1000 * count) / lengthMs);
  const answers = records.filter((record) => record.outcome === "ok");
  const firstTokens = answers.flatMap(({ firstTokenMs, sentMs }) => (firstTokenMs === null ? [] : [firstTokenMs - sentMs]));
  return {
    asked: ratePerSecond,
    offered,
    achieved,
    goodput,
    requests: totals.attempted,
    answers: answers.length,
    userLatencyP95: reportedPercentile(
      answers.map((record) => record.answeredMs - record.intendedMs),
      95,
    ),
    ttftP95: reportedPercentile(firstTokens, 95),
    ...judgeStep({ records, asked: ratePerSecond, offered }, totals),
  };
}

function judgeStep(
  { records, asked, offered }: { readonly records: readonly LoadRecord[]; readonly asked: number; readonly offered: number },
  totals: Totals,
): Pick<LoadStep, "verdict" | "reason" | "limitedBy"> {
  const { attempted: requests } = totals;
  const few = requests < leastRequests ? `${requests} requests are too few to judge 95 % by, ${leastRequests} are needed` : null;
  const share = requests === 0 ? null : estimateShare(goodShare(records, totals));
  if (share !== null && share.bounds.least >= leastGood) {
    const thin = offered < leastOffered * asked ? `only ${offered.toFixed(2)}/s of the planned ${asked}/s were offered` : null;
    const reason = few ?? thin;
    return reason === null ? { verdict: "pass" } : { verdict: "inconclusive", reason, limitedBy: "samples" };
  }
  if (share !== null && share.bounds.most >= leastGood)
    return { verdict: "inconclusive", reason: few ?? whyOpen(share, totals), limitedBy: "samples" };
  // A rate that the generator could not send was not missed by the target; one that was met in spite of it was met.
  const { surelyLateMs, allowedMs } = latenessOf(records);
  if (surelyLateMs !== null && surelyLateMs > allowedMs) {
    const reason = `sends left ${surelyLateMs.toFixed(1)} ms late and more (p99), ${allowedMs.toFixed(1)} ms are allowed`;
    return { verdict: "inconclusive", reason, limitedBy: "generator" };
  }
  return share === null
    ? { verdict: "inconclusive", reason: few ?? "nothing was sent", limitedBy: "samples" }
    : { verdict: "fail" };
}

/** The same interval as that of a gate on goodput. */
function whyOpen(share: Estimate, { good, maybeGood, attempted }: Totals): string {
  if (share.value === null) {
    return `of ${maybeGood} of ${attempted} requests nobody knows whether they were good: given up at the time-out, or by an estimate of their tokens`;
  }
  const times = timesToDecide(share, leastGood);
  const more = Number.isFinite(times) ? `; about ${writeTimes(times)} times as long would decide it` : "";
  return `${good} of ${attempted} were good, and the 95 % interval holds 95 %${more}`;
}

/** The highest rate of a search that met the service level; null when none did. */
export function findKnee(steps: readonly LoadStep[]): LoadProfileResult["knee"] {
  const held = steps.filter((step) => step.verdict === "pass").toSorted((a, b) => askedOf(b) - askedOf(a))[0];
  if (held === undefined) return null;
  const above = steps.filter((step) => askedOf(step) > askedOf(held)).toSorted((a, b) => askedOf(a) - askedOf(b));
  const missed = above.find((step) => step.verdict === "fail");
  const open = above.find((step) => step.verdict === "inconclusive");
  const met = `${askedOf(held)}/s met the service level${describeOffered(held)}`;
  if (missed !== undefined) return { ...kneeAt(held), reason: `${met}, ${askedOf(missed)}/s did not` };
  if (open === undefined) {
    const reason = `the highest rate tried, ${askedOf(held)}/s, still met the service level${describeOffered(held)}`;
    return { ...kneeAt(held), reason };
  }
  const why = open.limitedBy === "samples" ? `is inconclusive: ${open.reason ?? ""}` : "is more than this machine could send";
  return { ...kneeAt(held), reason: `${met}; ${askedOf(open)}/s ${why}` };
}

function kneeAt({ offered, goodput }: LoadStep): { readonly offered: number; readonly goodput: number } {
  return { offered, goodput };
}

function askedOf(step: LoadStep): number {
  return step.asked ?? step.offered;
}

/** The schedule is drawn: what was offered may be a few percent off. */
function describeOffered({ asked, offered }: LoadStep): string {
  return asked === undefined || Math.abs(offered - asked) < 0.005 * asked ? "" : ` (${offered.toFixed(2)}/s were offered)`;
}
