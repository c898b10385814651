import type { LoadStep, StepMisses } from "../../core/result/load-result.ts";
import { countMisses } from "../gates/count-misses.ts";
import type { Gate } from "../profile/gate.ts";
import { proportionInterval } from "../statistics/binomial.ts";
import type { Estimate } from "../statistics/estimate.ts";
import { describeLonger } from "../statistics/percentile-interval.ts";
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

export interface TriedLevel {
  readonly records: readonly LoadRecord[];
  /** The level that the search asked for: a rate, or a number of requests in flight. */
  readonly ratePerSecond?: number;
  readonly concurrency?: number;
  readonly lengthMs: number;
  /** Gates that lead the search; absent: its service level does. */
  readonly gates?: readonly Gate[];
}

/** One level of a search. */
export function summarizeStep({ ratePerSecond, concurrency, lengthMs, gates, ...tried }: TriedLevel): LoadStep {
  const records = orderByIntent(tried.records);
  const totals = countTotals(records);
  // As a loop ends, fewer and fewer requests are in flight: its last ones do not belong to its time.
  const inTime = concurrency === undefined ? 1 : Math.max(0, 1 - concurrency / Math.max(1, totals.attempted));
  const rates = ratesOf(totals, (count) => (lengthMs > 0 ? (1000 * count * inTime) / lengthMs : 0));
  const { offered, achieved, goodput, outputTokens } = rates;
  const answers = records.filter((record) => record.outcome === "ok");
  const firstTokens = answers.flatMap(({ firstTokenMs, sentMs }) => (firstTokenMs === null ? [] : [firstTokenMs - sentMs]));
  const tokenTimes = answers.flatMap(({ tpotMs }) => (tpotMs === null ? [] : [tpotMs]));
  const judged = { records, offered, asked: ratePerSecond ?? null };
  const misses = gates?.map((gate) => countMisses(gate, settledPart(records, concurrency)));
  return {
    ...(ratePerSecond === undefined ? {} : { asked: ratePerSecond }),
    ...(concurrency === undefined ? {} : { concurrency }),
    offered,
    achieved,
    goodput,
    requests: totals.attempted,
    answers: answers.length,
    seconds: lengthMs / 1000,
    outputTokens,
    userLatencyP95: reportedPercentile(
      answers.map((record) => record.answeredMs - record.intendedMs),
      95,
    ),
    ttftP95: reportedPercentile(firstTokens, 95),
    ttftP50: reportedPercentile(firstTokens, 50),
    tpotP50: reportedPercentile(tokenTimes, 50),
    ...(answers.some(({ tpotEstimated }) => tpotEstimated) ? { tokensEstimated: true } : {}),
    ...(misses === undefined ? {} : { misses }),
    ...(misses === undefined ? judgeStep(judged, totals) : judgeTrial(misses, judged)),
  };
}

/** Part of a trial in which the target is still filling up. */
const fillingPart = 0.2;

/** Without the beginning, in which nothing waits yet, and without the requests during which a loop was emptying. */
function settledPart(records: readonly LoadRecord[], concurrency = 0): readonly LoadRecord[] {
  return records.slice(Math.ceil(Math.max(fillingPart * records.length, concurrency)), records.length - concurrency);
}

interface Judged {
  readonly records: readonly LoadRecord[];
  /** Null: requests in flight were asked for. */
  readonly asked: number | null;
  readonly offered: number;
}

type StepVerdict = Pick<LoadStep, "verdict" | "reason" | "limitedBy">;

/** By the intervals of the shares that miss each gate; near the knee one trial does not decide. */
function judgeTrial(misses: readonly StepMisses[], judged: Judged): StepVerdict {
  const intervals = misses.map((miss) => ({ miss, interval: intervalOf(miss) }));
  if (intervals.some(({ miss, interval: [least] }) => least > miss.allowed)) return unlessLate(judged) ?? { verdict: "fail" };
  if (intervals.length > 0 && intervals.every(({ miss, interval: [, most] }) => most <= miss.allowed)) return { verdict: "pass" };
  const open = intervals.find(({ miss, interval: [, most] }) => most > miss.allowed)?.miss;
  const reason =
    open === undefined
      ? "no gate was asked"
      : `${open.missed} of ${open.counted} missed ${open.gate}, and the 95 % interval holds the allowed share`;
  return { verdict: "inconclusive", reason, limitedBy: "samples" };
}

function intervalOf({ missed, counted, effective }: StepMisses): readonly [low: number, high: number] {
  if (counted === 0) return [0, 1];
  const weight = effective / counted;
  return proportionInterval(missed * weight, effective);
}

/** A rate that the generator could not send was not missed by the target; one that was met in spite of it was met. */
function unlessLate({ records, asked }: Judged): StepVerdict | null {
  if (asked === null) return null;
  const { surelyLateMs, allowedMs } = latenessOf(records);
  if (surelyLateMs === null || surelyLateMs <= allowedMs) return null;
  const reason = `sends left ${surelyLateMs.toFixed(1)} ms late and more (p99), ${allowedMs.toFixed(1)} ms are allowed`;
  return { verdict: "inconclusive", reason, limitedBy: "generator" };
}

function judgeStep(judged: Judged, totals: Totals): StepVerdict {
  const { records, asked, offered } = judged;
  const { attempted: requests } = totals;
  const few = requests < leastRequests ? `${requests} requests are too few to judge 95 % by, ${leastRequests} are needed` : null;
  const share = requests === 0 ? null : estimateShare(goodShare(records, totals));
  if (share !== null && share.bounds.least >= leastGood) {
    const thin =
      asked !== null && offered < leastOffered * asked
        ? `only ${offered.toFixed(2)}/s of the planned ${asked}/s were offered`
        : null;
    const reason = few ?? thin;
    return reason === null ? { verdict: "pass" } : { verdict: "inconclusive", reason, limitedBy: "samples" };
  }
  if (share !== null && share.bounds.most >= leastGood)
    return { verdict: "inconclusive", reason: few ?? whyOpen(share, totals), limitedBy: "samples" };
  const late = unlessLate(judged);
  if (late !== null) return late;
  return share === null
    ? { verdict: "inconclusive", reason: few ?? "nothing was sent", limitedBy: "samples" }
    : { verdict: "fail" };
}

/** The same interval as that of a gate on goodput. */
function whyOpen(share: Estimate, { good, maybeGood, attempted }: Totals): string {
  if (share.value === null) {
    return `of ${maybeGood} of ${attempted} requests nobody knows whether they were good: given up at the time-out, or by an estimate of their tokens`;
  }
  const longer = timesToDecide(share, leastGood);
  const more = Number.isFinite(longer.times) ? `; ${describeLonger(longer)}` : "";
  return `${good} of ${attempted} were good, and the 95 % interval holds 95 %${more}`;
}
