import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import { addTotals, countTotals, type Totals } from "../samples/count-totals.ts";
import { proportionInterval } from "../statistics/binomial.ts";
import type { GateSource, RateEstimate } from "./read-figure.ts";
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
      const { attempted, good, records, outcomes, errors, rejects } = scope(endpoint).totals;
      const dropped = outcomes["not-sent"] ?? 0;
      const answered = records - dropped - (outcomes.interrupted ?? 0);
      switch (name) {
        case "error_rate":
          return [errors, answered];
        case "reject_rate":
          return [rejects, answered];
        case "dropped_rate":
          return [dropped, attempted];
        case "goodput":
          return [good, attempted];
        default:
          return name satisfies never;
      }
    },
    rate(name, endpoint) {
      const { attempted, good, outcomes } = scope(endpoint).totals;
      const perSecond = (count: number): number => context.perSecond(count);
      switch (name) {
        case "ok_rate":
          return shareOfRate(outcomes.ok ?? 0, attempted, perSecond);
        case "achieved_rate":
          return shareOfRate(attempted - (outcomes["not-sent"] ?? 0), attempted, perSecond);
        case "goodput_rate":
          return shareOfRate(good, attempted, perSecond);
        case "output_tokens_rate":
          return tokensRate(scope(endpoint).records, tokensOf(overflow, endpoint), perSecond);
        default:
          return name satisfies never;
      }
    },
    count(name, endpoint) {
      const { errors, rejects, attempted, retries } = scope(endpoint).totals;
      return { errors, rejects, requests: attempted, retries }[name];
    },
    certainErrors: (endpoint) => scope(endpoint).totals.certainErrors,
    observation(id) {
      const seen = observations.find((observation) => observation.id === id);
      if (seen !== undefined) return seen.count;
      if (id === "closes-connections") return context.measured.length > 0 ? 0 : null;
      return observableStreams(id, context.measured, context.shapes) > 0 ? 0 : null;
    },
    limits: (name) => context.limits?.[name] ?? null,
  };
}

/** The schedule is given; what of it succeeded is binomial. */
function shareOfRate(part: number, attempted: number, perSecond: (count: number) => number): RateEstimate | null {
  if (attempted === 0) return null;
  const [low, high] = proportionInterval(part, attempted);
  const scheduled = perSecond(attempted);
  return { value: perSecond(part), low: low * scheduled, high: high * scheduled, needed: 0 };
}

/** Tokens of a request vary as its answer does: their mean carries the interval. Null when no answer reported any. */
function tokensRate(
  records: readonly LoadRecord[],
  beside: readonly CountedValues[],
  perSecond: (count: number) => number,
): RateEstimate | null {
  const reported = records.some((record) => record.outcome === "ok" && record.outputTokens !== null);
  if (!reported && !beside.some(({ sum }) => sum > 0)) return null;
  const samples = sampleSetOf(
    collectFigures(records, (record) => (record.outcome === "ok" ? (record.outputTokens ?? 0) : 0)),
    beside,
  );
  const { value, low, high, needed } = estimateMean(samples);
  const rate = (mean: number | null): number | null => (mean === null ? null : perSecond(mean * samples.count));
  return { value: rate(value), low: rate(low), high: rate(high), needed };
}

function tokensOf(overflow: Overflow | null, endpoint: EndpointId | null): readonly CountedValues[] {
  return [...(overflow?.outputTokens ?? [])].flatMap(([of, values]) => (endpoint === null || of === endpoint ? [values] : []));
}
