import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { CacheAudit } from "../../core/result/cache-count.ts";
import type { CapacityResult } from "../../core/result/load-result.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import { addTotals, countTotals, deliveredTokens, isError, type Totals } from "../samples/count-totals.ts";
import type { Estimate } from "../statistics/estimate.ts";
import { estimateShare, type Share } from "../statistics/share-interval.ts";
import { matchWhere } from "./match-where.ts";
import type { GateSource, Guessed, NoReading } from "./read-figure.ts";
import type { Gate } from "../profile/gate.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { hasStayed } from "../samples/has-stayed.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { goodShare } from "../samples/good-share.ts";
import { markRecords, withOpen } from "../samples/mark-records.ts";
import type { CountedValues } from "../statistics/counted-values.ts";
import type { Overflow } from "../samples/overflow.ts";
import type { ShapeCounts } from "../samples/stream-shapes.ts";
import { type MetricTable, tabulate } from "../samples/record-store.ts";
import { estimateMean } from "../statistics/mean-interval.ts";
import { selectRecords } from "../samples/select-records.ts";
import { sampleSetOf } from "../statistics/sample-set.ts";
import { collectFigures } from "../statistics/collect-figures.ts";
import { observableStreams, type ObservedStreams, type StreamObservation } from "../samples/stream-honesty.ts";

export interface GateContext {
  readonly profile: LoadProfile;
  /** Records of the measured window that are kept. */
  readonly measured: readonly LoadRecord[];
  /** The part of it that was counted beside the records. */
  readonly overflow: Overflow | null;
  /** Of its seconds that are not tainted. */
  readonly shapes: ShapeCounts | null;
  readonly table: MetricTable;
  readonly totals: Totals;
  perSecond(count: number): number;
  /** The fraction up to which that is known: of a loop the rate itself is a sample. */
  readonly rateError: number;
  /** Requests that it would have made without the delays of this machine, for each that it made, where an answer decides when the next is sent. */
  readonly speed: number;
  readonly observations: readonly StreamObservation[];
  readonly paused: ObservedStreams["paused"];
  /** Null: nobody can say. */
  readonly keepsSlots: boolean | null;
  readonly cacheAudit: CacheAudit | null;
  readonly limits: LimitFigures | null;
  readonly capacity: CapacityResult | null;
  /** The most requests that the measured window could hold, of a profile that ended because a gate was beyond repair. */
  readonly plannedOfHopeless: number | null;
}

interface Scope {
  readonly records: readonly LoadRecord[];
  readonly totals: Totals;
}

/** The figures of a profile as gates ask for them. */
export function createGateSource(context: GateContext): GateSource {
  const { table, observations, overflow } = context;
  const scoped = new Map<EndpointId | null, Scope>();
  scoped.set(null, { records: context.measured, totals: context.totals });
  const scope = (endpoint: EndpointId | null): Scope => {
    let found = scoped.get(endpoint);
    if (found === undefined) {
      const records = selectRecords(context.measured, (record) => record.endpoint === endpoint);
      const totals = countTotals(records);
      const beside = endpoint === null ? undefined : overflow?.totals.get(endpoint);
      if (beside !== undefined) addTotals(totals, beside);
      found = { records, totals };
      scoped.set(endpoint, found);
    }
    return found;
  };
  return {
    endpoints: [...new Set(context.profile.workload.map((item) => item.endpoint))],
    samples: (metric, endpoint) => table.get(metric, endpoint, "ok")?.samples ?? null,
    isEstimated: (metric, endpoint) => table.get(metric, endpoint, "ok")?.estimated ?? false,
    fraction(name, endpoint) {
      const { records, totals } = scope(endpoint);
      const { attempted, outcomes, errors, rejects } = totals;
      const timedOut = outcomes["timed-out"] ?? 0;
      const dropped = outcomes["not-sent"] ?? 0;
      switch (name) {
        case "error_rate":
          return shareOfAnswers(scope(endpoint), { part: errors, has: isError }, { part: timedOut, has: isTimedOut });
        case "timeout_rate":
          return shareOfAnswers(scope(endpoint), { part: timedOut, has: isTimedOut });
        case "reject_rate":
          return shareOfAnswers(scope(endpoint), { part: rejects, has: ({ status }) => status === 429 });
        case "dropped_rate":
          return {
            part: dropped,
            whole: attempted,
            inOrder: markRecords(records, isFirst, ({ outcome }) => outcome === "not-sent"),
          };
        case "goodput":
          return goodShareOf(scope(endpoint));
        default:
          return name satisfies never;
      }
    },
    rate(name, endpoint) {
      const { records, totals } = scope(endpoint);
      const { attempted, outcomes } = totals;
      const { speed } = context;
      const perSecond: RateFactor = { of: (count) => context.perSecond(count * speed), error: context.rateError };
      const share = (part: number, has: (record: LoadRecord) => boolean): Share => {
        return { part, whole: attempted, inOrder: markRecords(records, isFirst, has) };
      };
      switch (name) {
        case "ok_rate": {
          const known = share(outcomes.ok ?? 0, ({ outcome }) => outcome === "ok");
          // Nobody knows how an answer would have ended that was cut off.
          const mayBe = ({ outcome }: LoadRecord): boolean => outcome === "ok" || outcome === "interrupted";
          const open = withOpen(known, outcomes.interrupted ?? 0, () => markRecords(records, isFirst, mayBe));
          return rateOfSchedule(open, perSecond);
        }
        case "achieved_rate": {
          const sent = attempted - (outcomes["not-sent"] ?? 0);
          return rateOfSchedule(
            share(sent, ({ outcome }) => outcome !== "not-sent"),
            perSecond,
          );
        }
        case "goodput_rate":
          return rateOfSchedule(goodShareOf(scope(endpoint)), perSecond);
        case "output_tokens_rate":
          return tokensRate(scope(endpoint), tokensOf(overflow, endpoint), perSecond);
        default:
          return name satisfies never;
      }
    },
    count(name, endpoint) {
      const { errors, rejects, attempted, retries } = scope(endpoint).totals;
      return { errors, rejects, requests: attempted * context.speed, retries }[name];
    },
    guessed: (endpoint) => guessedOf(scope(endpoint)),
    givenUp: (endpoint) => scope(endpoint).totals.outcomes["timed-out"] ?? 0,
    planned: context.plannedOfHopeless,
    where: (gate) => restrict(context, gate),
    timeoutSeconds: context.profile.timeoutSeconds,
    certainErrors: (endpoint) => scope(endpoint).totals.certainErrors,
    observation(id) {
      const seen = observations.find((observation) => observation.id === id);
      if (seen !== undefined) return seen.count;
      if (id === "response-cache") return context.cacheAudit?.verdict === "not-cached" ? 0 : null;
      if (id === "kept-slots") return context.keepsSlots === null ? null : 0;
      if (id === "closes-connections" || id === "timed-out") return context.measured.length > 0 ? 0 : null;
      return observableStreams(id, context.measured, context.shapes) > 0 ? 0 : null;
    },
    paused: (id) => context.paused.get(id) ?? 0,
    capacity: context.capacity,
    limits: (name) => context.limits?.[name] ?? null,
  };
}

/** Of the requests that a gate is about. A request of which it is not known might be one that failed: then nothing is said. */
function restrict(context: GateContext, gate: Pick<Gate, "where">): GateSource | NoReading {
  const inconclusive = (reason: string): NoReading => ({ verdict: "inconclusive", reason });
  if (context.overflow !== null)
    return inconclusive("not all records were kept: figures of a part of the requests are not known");
  const unknown = context.measured.reduce((count, record) => count + Number(matchWhere(gate, record) === null), 0);
  if (unknown > 0)
    return inconclusive(
      `of ${unknown} requests nobody knows how long their prompts were: none was asked for, and no usage counted them`,
    );
  const measured = selectRecords(context.measured, (record) => matchWhere(gate, record) === true);
  if (measured.length === 0) return inconclusive("no request was one that this gate is about");
  const part = { measured, table: tabulate(measured), totals: countTotals(measured) };
  return createGateSource({ ...context, ...part });
}

interface Marked {
  readonly part: number;
  readonly has: (record: LoadRecord) => boolean;
}

const nothing: Marked = { part: 0, has: () => false };

/**
 * Of the requests that were answered; `open`: those that may have the property, too. A client that left saw the beginning of its answer
 * only: the share of those that stay lies between the one where no such answer would have come to have it, and the one without them.
 */
function shareOfAnswers({ records, totals }: Scope, sure: Marked, open = nothing): Share {
  const { outcomes } = totals;
  const left = outcomes.left ?? 0;
  const answered = totals.records - (outcomes["not-sent"] ?? 0) - (outcomes.interrupted ?? 0);
  const may = (record: LoadRecord): boolean => sure.has(record) || open.has(record);
  const stays = (record: LoadRecord): boolean => isAnswered(record) && hasStayed(record);
  const of = (part: number, whole: number, inOrder: Float64Array): Share => ({ part: Math.min(whole, part), whole, inOrder });
  const part = sure.part + open.part;
  const withoutLeft = (): Share => of(part, answered - left, markRecords(records, stays, may));
  if (left > 0 && part === 0) return withoutLeft();
  const least = of(sure.part, answered, markRecords(records, isAnswered, sure.has));
  if (left > 0) return { ...least, most: withoutLeft() };
  return withOpen(least, open.part, () => markRecords(records, isAnswered, may));
}

function goodShareOf({ records, totals }: Scope): Share {
  return goodShare(records, totals);
}

function isFirst({ attempt }: LoadRecord): boolean {
  return attempt === 1;
}

/** Answers, whole or left, whose tokens are an estimate, and those that an estimate alone would make good or bad. */
function guessedOf({ records }: Scope): Guessed {
  let [tokens, good, unread] = [0, 0, 0];
  for (const { outcome, outputTokens, hiddenTokens, maybeGood, stream } of records) {
    if (outcome !== "ok" && outcome !== "left") continue;
    if (outputTokens !== null && hiddenTokens === null) tokens += 1;
    if (!maybeGood || outcome !== "ok") continue;
    if (stream?.ownForm === true) unread += 1;
    else good += 1;
  }
  return { tokens, good, unread };
}

function isTimedOut({ outcome }: LoadRecord): boolean {
  return outcome === "timed-out";
}

function isAnswered({ outcome }: LoadRecord): boolean {
  return outcome !== "not-sent" && outcome !== "interrupted";
}

/** The schedule is given; what of it succeeded is a share. */
function rateOfSchedule(share: Share, perSecond: RateFactor): Estimate | null {
  return share.whole === 0 ? null : scaled(estimateShare(share), perSecond, share.whole);
}

interface RateFactor {
  of(count: number): number;
  readonly error: number;
}

/**
 * Tokens of a request vary as its answer does: their mean carries the interval. Those of an answer that was cut off are the least that it
 * would have had. Null when no answer reported any.
 */
function tokensRate({ records, totals }: Scope, beside: readonly CountedValues[], perSecond: RateFactor): Estimate | null {
  const reported = records.some(({ outcome, outputTokens }) => (outcome === "ok" || outcome === "left") && outputTokens !== null);
  if (!reported && !beside.some(({ sum }) => sum > 0)) return null;
  const samples = sampleSetOf(
    collectFigures(records, (record) => deliveredTokens(record) ?? 0),
    beside,
  );
  const mean = estimateMean(samples);
  const isCut = (totals.outcomes.interrupted ?? 0) > 0 && mean.value !== null;
  return scaled(isCut ? openAbove(mean, mean.value) : mean, perSecond, samples.count);
}

function openAbove(known: Estimate, atLeast: number): Estimate {
  return { ...known, value: null, atLeast, high: null, bounds: { ...known.bounds, most: Infinity } };
}

function scaled({ value, low, high, bounds, atLeast, ...rest }: Estimate, perSecond: RateFactor, count: number): Estimate {
  const factor = perSecond.of(count);
  const by = (figure: number | null, error = 1): number | null => (figure === null ? null : factor * error * figure);
  const [below, above] = [1 / (1 + perSecond.error), 1 + perSecond.error];
  return {
    ...rest,
    value: by(value),
    ...(atLeast !== undefined && { atLeast: factor * atLeast }),
    low: by(low, below),
    high: by(high, above),
    bounds: { least: factor * below * bounds.least, most: factor * above * bounds.most },
  };
}

function tokensOf(overflow: Overflow | null, endpoint: EndpointId | null): readonly CountedValues[] {
  return [...(overflow?.outputTokens ?? [])].flatMap(([of, values]) => (endpoint === null || of === endpoint ? [values] : []));
}
