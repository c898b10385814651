import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import { addTotals, countTotals, deliveredTokens, isError, type Totals } from "../samples/count-totals.ts";
import type { Estimate } from "../statistics/estimate.ts";
import { estimateShare, type Share } from "../statistics/share-interval.ts";
import type { GateSource } from "./read-figure.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import type { CountedValues } from "../samples/counted-values.ts";
import type { Overflow } from "../samples/overflow.ts";
import type { ShapeCounts } from "../samples/stream-shapes.ts";
import type { MetricTable } from "../samples/record-store.ts";
import { estimateMean } from "../statistics/mean-interval.ts";
import { selectRecords } from "../samples/select-records.ts";
import { sampleSetOf } from "../samples/sample-set.ts";
import { collectFigures } from "../statistics/collect-figures.ts";
import { observableStreams, type StreamObservation } from "../samples/stream-honesty.ts";

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
  readonly observations: readonly StreamObservation[];
  readonly limits: LimitFigures | null;
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
    fraction(name, endpoint) {
      const { records, totals } = scope(endpoint);
      const { attempted, outcomes, errors, rejects } = totals;
      const timedOut = outcomes["timed-out"] ?? 0;
      const dropped = outcomes["not-sent"] ?? 0;
      const answered = totals.records - dropped - (outcomes.interrupted ?? 0);
      switch (name) {
        case "error_rate":
          return withOpen({ part: errors, whole: answered, inOrder: mark(records, isAnswered, isError) }, timedOut, () =>
            mark(records, isAnswered, (record) => isError(record) || isTimedOut(record)),
          );
        case "timeout_rate":
          return { part: timedOut, whole: answered, inOrder: mark(records, isAnswered, isTimedOut) };
        case "reject_rate":
          return { part: rejects, whole: answered, inOrder: mark(records, isAnswered, ({ status }) => status === 429) };
        case "dropped_rate":
          return { part: dropped, whole: attempted, inOrder: mark(records, isFirst, ({ outcome }) => outcome === "not-sent") };
        case "goodput":
          return goodput(scope(endpoint));
        default:
          return name satisfies never;
      }
    },
    rate(name, endpoint) {
      const { records, totals } = scope(endpoint);
      const { attempted, outcomes } = totals;
      const perSecond = (count: number): number => context.perSecond(count);
      const share = (part: number, has: (record: LoadRecord) => boolean): Estimate | null =>
        rateOfSchedule({ part, whole: attempted, inOrder: mark(records, isFirst, has) }, perSecond);
      switch (name) {
        case "ok_rate":
          return share(outcomes.ok ?? 0, ({ outcome }) => outcome === "ok");
        case "achieved_rate":
          return share(attempted - (outcomes["not-sent"] ?? 0), ({ outcome }) => outcome !== "not-sent");
        case "goodput_rate":
          return rateOfSchedule(goodput(scope(endpoint)), perSecond);
        case "output_tokens_rate":
          return tokensRate(records, tokensOf(overflow, endpoint), perSecond);
        default:
          return name satisfies never;
      }
    },
    count(name, endpoint) {
      const { errors, rejects, attempted, retries } = scope(endpoint).totals;
      return { errors, rejects, requests: attempted, retries }[name];
    },
    givenUp: (endpoint) => scope(endpoint).totals.outcomes["timed-out"] ?? 0,
    planned: context.plannedOfHopeless,
    timeoutSeconds: context.profile.timeoutSeconds,
    certainErrors: (endpoint) => scope(endpoint).totals.certainErrors,
    observation(id) {
      const seen = observations.find((observation) => observation.id === id);
      if (seen !== undefined) return seen.count;
      if (id === "closes-connections" || id === "timed-out") return context.measured.length > 0 ? 0 : null;
      return observableStreams(id, context.measured, context.shapes) > 0 ? 0 : null;
    },
    limits: (name) => context.limits?.[name] ?? null,
  };
}

/** Good answers among all planned requests; those that were given up before they surely missed a bound may have been. */
function goodput({ records, totals }: Scope): Share {
  const { attempted, good, maybeGood } = totals;
  return withOpen({ part: good, whole: attempted, inOrder: mark(records, isFirst, isGood) }, maybeGood, () =>
    mark(records, isFirst, (record) => isGood(record) || isMaybeGood(record)),
  );
}

function withOpen(share: Share, open: number, inOrder: () => Float64Array): Share {
  if (open === 0) return share;
  const { part, whole } = share;
  return { ...share, most: { part: Math.min(whole, part + open), whole, inOrder: inOrder() } };
}

function isTimedOut({ outcome }: LoadRecord): boolean {
  return outcome === "timed-out";
}

function isFirst({ attempt }: LoadRecord): boolean {
  return attempt === 1;
}

function isGood({ good }: LoadRecord): boolean {
  return good;
}

function isMaybeGood({ maybeGood }: LoadRecord): boolean {
  return maybeGood;
}

function isAnswered({ outcome }: LoadRecord): boolean {
  return outcome !== "not-sent" && outcome !== "interrupted";
}

/** One for each subject that has the property, 0 for each that has not, in the order of the records. */
function mark(
  records: readonly LoadRecord[],
  isSubject: (record: LoadRecord) => boolean,
  has: (record: LoadRecord) => boolean,
): Float64Array {
  return collectFigures(records, (record) => (isSubject(record) ? (has(record) ? 1 : 0) : null));
}

/** The schedule is given; what of it succeeded is a share. */
function rateOfSchedule(share: Share, perSecond: (count: number) => number): Estimate | null {
  return share.whole === 0 ? null : scaled(estimateShare(share), perSecond(share.whole));
}

/** Tokens of a request vary as its answer does: their mean carries the interval. Null when no answer reported any. */
function tokensRate(
  records: readonly LoadRecord[],
  beside: readonly CountedValues[],
  perSecond: (count: number) => number,
): Estimate | null {
  const reported = records.some((record) => record.outcome === "ok" && record.outputTokens !== null);
  if (!reported && !beside.some(({ sum }) => sum > 0)) return null;
  const samples = sampleSetOf(
    collectFigures(records, (record) => deliveredTokens(record) ?? 0),
    beside,
  );
  return scaled(estimateMean(samples), perSecond(samples.count));
}

function scaled({ value, low, high, bounds, ...rest }: Estimate, factor: number): Estimate {
  const by = (figure: number | null): number | null => (figure === null ? null : factor * figure);
  return {
    ...rest,
    value: by(value),
    low: by(low),
    high: by(high),
    bounds: { least: factor * bounds.least, most: factor * bounds.most },
  };
}

function tokensOf(overflow: Overflow | null, endpoint: EndpointId | null): readonly CountedValues[] {
  return [...(overflow?.outputTokens ?? [])].flatMap(([of, values]) => (endpoint === null || of === endpoint ? [values] : []));
}
