import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import { isError } from "../send/abort-watch.ts";
import { countTotals, type Totals } from "../samples/count-totals.ts";
import { proportionInterval } from "../statistics/binomial.ts";
import type { GateSource, RateEstimate } from "./judge-gate.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import type { MetricTable } from "../samples/record-store.ts";
import { estimateMean } from "../statistics/mean-interval.ts";
import { selectRecords } from "../samples/select-records.ts";
import { createSampleSet } from "../samples/sample-set.ts";
import { observableStreams, type StreamObservation } from "../samples/stream-honesty.ts";

export interface GateContext {
  readonly profile: LoadProfile;
  /** Records of the measured window. */
  readonly measured: readonly LoadRecord[];
  readonly table: MetricTable;
  readonly totals: Totals;
  perSecond(count: number): number;
  readonly observations: readonly StreamObservation[];
  readonly limits: LimitFigures | null;
}

export interface GateSources {
  readonly all: GateSource;
  /** The same, counting those errors alone that no generator can cause. */
  readonly certain: GateSource;
}

/** The figures of a profile as gates ask for them. */
export function createGateSources(context: GateContext): GateSources {
  const { table, observations } = context;
  const scoped = new Map<EndpointId | null, { readonly records: readonly LoadRecord[]; readonly totals: Totals }>();
  scoped.set(null, { records: context.measured, totals: context.totals });
  const scope = (endpoint: EndpointId | null): { readonly records: readonly LoadRecord[]; readonly totals: Totals } => {
    let found = scoped.get(endpoint);
    if (found === undefined) {
      const records = selectRecords(context.measured, (record) => record.endpoint === endpoint);
      found = { records, totals: countTotals(records) };
      scoped.set(endpoint, found);
    }
    return found;
  };
  const count = (endpoint: EndpointId | null, matches: (record: LoadRecord) => boolean): number =>
    scope(endpoint).records.reduce((sum, record) => sum + (matches(record) ? 1 : 0), 0);
  const source: GateSource = {
    endpoints: [...new Set(context.profile.workload.map((item) => item.endpoint))],
    samples: (metric, endpoint) => table.get(metric, endpoint, "ok")?.samples ?? null,
    fraction(name, endpoint) {
      const { attempted, good } = scope(endpoint).totals;
      const dropped = count(endpoint, (record) => record.outcome === "not-sent");
      const answered = count(endpoint, (record) => record.outcome !== "not-sent" && record.outcome !== "interrupted");
      switch (name) {
        case "error_rate":
          return [count(endpoint, isError), answered];
        case "reject_rate":
          return [count(endpoint, (record) => record.status === 429), answered];
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
          return tokensRate(scope(endpoint).records, perSecond);
        default:
          return name satisfies never;
      }
    },
    count(name, endpoint) {
      switch (name) {
        case "errors":
          return count(endpoint, isError);
        case "rejects":
          return count(endpoint, (record) => record.status === 429);
        case "requests":
          return scope(endpoint).totals.attempted;
        case "retries":
          return count(endpoint, (record) => record.attempt > 1);
        default:
          return name satisfies never;
      }
    },
    observation(id) {
      const seen = observations.find((observation) => observation.id === id);
      if (seen !== undefined) return seen.count;
      if (id === "closes-connections") return context.measured.length > 0 ? 0 : null;
      return observableStreams(id, context.measured) > 0 ? 0 : null;
    },
    limits: (name) => context.limits?.[name] ?? null,
  };
  const certain: GateSource = {
    ...source,
    fraction: (name, endpoint) =>
      name === "error_rate"
        ? [count(endpoint, isCertainError), source.fraction(name, endpoint)[1]]
        : source.fraction(name, endpoint),
    count: (name, endpoint) => (name === "errors" ? count(endpoint, isCertainError) : source.count(name, endpoint)),
  };
  return { all: source, certain };
}

/** The schedule is given; what of it succeeded is binomial. */
function shareOfRate(part: number, attempted: number, perSecond: (count: number) => number): RateEstimate | null {
  if (attempted === 0) return null;
  const [low, high] = proportionInterval(part, attempted);
  const scheduled = perSecond(attempted);
  return { value: perSecond(part), low: low * scheduled, high: high * scheduled, needed: 0 };
}

/** Tokens of a request vary as its answer does: their mean carries the interval. Null when no answer reported any. */
function tokensRate(records: readonly LoadRecord[], perSecond: (count: number) => number): RateEstimate | null {
  if (!records.some((record) => record.outcome === "ok" && record.outputTokens !== null)) return null;
  const samples = createSampleSet();
  for (const record of records) samples.add(record.outcome === "ok" ? (record.outputTokens ?? 0) : 0);
  const { value, low, high, needed } = estimateMean(samples);
  const rate = (mean: number | null): number | null => (mean === null ? null : perSecond(mean * records.length));
  return { value: rate(value), low: rate(low), high: rate(high), needed };
}

/**
 * Errors that speak of the target whatever the generator did: a blocked loop invents timeouts, and sends that were held up
 * leave together and may overload (503).
 */
function isCertainError(record: LoadRecord): boolean {
  return isError(record) && record.outcome !== "transport-error" && record.status !== 503;
}
