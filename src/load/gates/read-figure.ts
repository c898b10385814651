import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import type { CapacityResult } from "../../core/result/load-result.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { ObservationId } from "../profile/observation-ids.ts";
import type { SampleSet } from "../statistics/sample-set.ts";
import type { Estimate } from "../statistics/estimate.ts";
import { leastShare, mostBeyond } from "../statistics/beyond-repair.ts";
import { estimateMean } from "../statistics/mean-interval.ts";
import { estimatePercentile, sampleFloor } from "../statistics/percentile-estimate.ts";
import { estimateShare, type Share } from "../statistics/share-interval.ts";
import type { FigureRange } from "./compare-with-bound.ts";
import type { Gate, GateFigure } from "../profile/gate.ts";

/** Answers whose figures are not certain. */
export interface Guessed {
  /** Their number of tokens is an estimate. */
  readonly tokens: number;
  /** An estimate alone says whether they are good. */
  readonly good: number;
  /** Nothing shows when their first token came, which alone says whether they are good. */
  readonly unread: number;
}

/** Figures of the measured window that gates may ask for. */
export interface GateSource {
  /** Endpoints of the workload. */
  readonly endpoints: readonly EndpointId[];
  /** Samples of successes; null when the endpoint has none of this metric. */
  samples(metric: LoadMetric, endpoint: EndpointId): SampleSet | null;
  /** Requests that have the property, out of those that could have had it; endpoint null is the whole profile. */
  fraction(name: Extract<GateFigure, { kind: "fraction" }>["name"], endpoint: EndpointId | null): Share;
  /** Per second with its 95 % interval; a value of null: too few requests. Null: nothing of the kind. */
  rate(name: Extract<GateFigure, { kind: "rate" }>["name"], endpoint: EndpointId | null): Estimate | null;
  count(name: Extract<GateFigure, { kind: "count" }>["name"], endpoint: EndpointId | null): number;
  /** Those of the errors that no generator can cause. */
  certainErrors(endpoint: EndpointId | null): number;
  /** The samples are estimates: chunks stand for tokens, or usage counts tokens that may not have arrived. */
  isEstimated(metric: LoadMetric, endpoint: EndpointId): boolean;
  /** Answers whose number of tokens is an estimate, and those of which an estimate decides whether they are good. */
  guessed(endpoint: EndpointId | null): Guessed;
  /** Requests that were not finished within the time-out of the profile. */
  givenUp(endpoint: EndpointId | null): number;
  /** The same figures of the requests that a gate with conditions is about, or why there are none. */
  where(gate: Pick<Gate, "where">): GateSource | NoReading;
  readonly timeoutSeconds: number;
  /** The most requests that the window could hold, of a profile that ended because a gate was beyond repair; else null. */
  readonly planned: number | null;
  /** null: nothing was seen that could have shown it. */
  observation(id: ObservationId): number | null;
  /** Further streams of which a pause of the target or of this machine explains that they came so. */
  paused(id: ObservationId): number;
  /** Null: no search for capacity. */
  readonly capacity: Pick<CapacityResult, "value" | "low" | "high" | "stop" | "reason"> | null;
  /** null until the limit judges have spoken. */
  limits(name: keyof LimitFigures): number | null;
}

/** A figure as it is reported, and where it lies. */
export interface Reading extends Omit<Estimate, "bounds"> {
  readonly range: FigureRange;
  /** The range of a figure of errors by those errors alone that no generator can cause. */
  readonly certain?: FigureRange;
  /** The range of a figure of the whole plan, where so many requests missed its bound that the rest could not mend it. */
  readonly ofPlan?: FigureRange;
  /** Why it is an estimate, which decides nothing. */
  readonly estimate?: string;
  /** Why requests that were given up leave it open. */
  readonly givenUp?: string;
  /** Why answers that an estimate judges leave it open. */
  readonly openBy?: string;
  /** Why clients that left leave it open. */
  readonly left?: string;
  /** Why a pause leaves it open. */
  readonly paused?: string;
}

export interface NoReading {
  readonly verdict: "inconclusive" | "untested";
  readonly reason: string;
}

/**
 * Samples from which on an extreme (`max`, `min`, a share of none or of all) may meet a bound: as many as bound the 95th
 * percentile too. One that breaks the bound is enough.
 */
const extremeFloor = sampleFloor(95);

/** The figure of a gate, of one endpoint or of the whole profile. */
export function readFigure(gate: Gate, source: GateSource, endpoint: EndpointId | null): Reading | NoReading {
  const { figure } = gate;
  switch (figure.kind) {
    case "percentile":
    case "moment": {
      const samples = endpoint === null ? null : source.samples(figure.metric, endpoint);
      if (samples === null || samples.count === 0) return noRequest(endpoint);
      const givenUp = {
        ...(samples.open > 0 && { givenUp: describeGivenUp(source, samples.open, samples.count) }),
        ...(endpoint !== null && source.isEstimated(figure.metric, endpoint) && { estimate: remedy }),
      };
      if (figure.kind === "percentile") {
        const ofPlan = rangeOfPlan(samples, figure.percentile, source.planned);
        return { ...estimated(estimatePercentile(samples, figure.percentile)), ...ofPlan, ...givenUp };
      }
      if (figure.which === "mean") return { ...estimated(estimateMean(samples)), ...givenUp };
      return { ...extreme(figure.which, samples), ...givenUp };
    }
    case "fraction": {
      const share = source.fraction(figure.name, endpoint);
      if (share.whole === 0) return noRequest(endpoint);
      const open = share.most === undefined ? 0 : share.most.part - share.part;
      const guessed = open > 0 && figure.name === "goodput" ? source.guessed(endpoint) : nothingGuessed;
      const unfinished = open - guessed.good - guessed.unread;
      const givenUp = {
        ...(unfinished > 0 && { givenUp: describeGivenUp(source, unfinished, share.whole) }),
        ...describeGuessed(guessed),
      };
      const stayed = share.most?.whole ?? share.whole;
      const left = stayed < share.whole && {
        left: `${share.whole - stayed} of ${share.whole} clients left, and nobody knows how their answers would have ended`,
      };
      const reading = { ...shareOf(gate, share), ...givenUp, ...left, ...shareOfPlan(share, source.planned) };
      if (figure.name !== "error_rate") return reading;
      return { ...reading, certain: shareOf(gate, { ...share, part: source.certainErrors(endpoint) }).range };
    }
    case "rate": {
      const rate = source.rate(figure.name, endpoint);
      if (rate === null) return noRequest(endpoint);
      const guessed = source.guessed(endpoint);
      if (figure.name === "output_tokens_rate" && guessed.tokens > 0) return { ...estimated(rate), estimate: remedy };
      if (figure.name !== "goodput_rate" || rate.atLeast === undefined) return estimated(rate);
      return { ...estimated(rate), ...openGoodRate(source, endpoint, guessed) };
    }
    case "count": {
      const count = exact(source.count(figure.name, endpoint));
      return figure.name === "errors" ? errorsOf(count, source, endpoint) : count;
    }
    case "observation": {
      const value = source.observation(figure.id);
      if (value !== null) return withPaused(value, source.paused(figure.id));
      const unseen = "no stream was long enough, too few were, or not all records were kept, to show it";
      const reason = (source.observation("no-token") ?? 0) > 0 ? unreadForm : unseen;
      return { verdict: "inconclusive", reason };
    }
    case "capacity":
      return readCapacity(source.capacity);
    case "limits": {
      const value = source.limits(figure.name);
      if (value !== null) return exact(value);
      return { verdict: "untested", reason: "no limit check found in this traffic what it needs to judge" };
    }
    default:
      return figure satisfies never;
  }
}

/** Judged by its whole interval; where no level was missed it has no upper end, where none held it is 0. */
function readCapacity(capacity: GateSource["capacity"]): Reading | NoReading {
  if (capacity === null) return { verdict: "untested", reason: "this profile searches for no capacity" };
  const { value, low, high, stop, reason } = capacity;
  if (value !== null) {
    const range = { least: low ?? value, most: high ?? Infinity };
    return { value, low, high, needed: 0, range };
  }
  return stop === "below" ? exact(0) : { verdict: "inconclusive", reason };
}

function noRequest(endpoint: EndpointId | null): NoReading {
  const where = endpoint === null ? "" : ` of ${endpoint}`;
  return { verdict: "inconclusive", reason: `no request${where} gave this figure` };
}

function exact(value: number): Reading {
  return { value, low: null, high: null, needed: 0, range: { least: value, most: value } };
}

function withPaused(value: number, count: number): Reading {
  if (count === 0) return exact(value);
  const paused = `${count} streams came so while nothing else arrived and another one stood still, or came in the same moment although it was due at another time: a pause of the target or of this machine explains it as well; a calmer machine or a longer profile would decide it`;
  return { ...exact(value), range: { least: value, most: value + count }, paused };
}

/** Bounds that are no interval are shown too: they are what decides. */
function estimated({ bounds, ...estimate }: Estimate): Reading {
  const { low, high } = estimate;
  return { ...estimate, low: low ?? finite(bounds.least), high: high ?? finite(bounds.most), range: bounds };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** The evidence that an estimate lacks. */
const remedy =
  "an estimate, as chunks are no tokens and usage did not say how many arrived: features.streamUsage asks the target for usage in its streams";

/** Streams have a form of their own. */
export const unreadForm =
  "no stream held content in a form that can be read (observation no-token), so that nothing shows when a token came; gates on user_latency can be judged";

const nothingGuessed: Guessed = { tokens: 0, good: 0, unread: 0 };

function describeGuessed({ good, unread }: Guessed): Pick<Reading, "openBy"> {
  if (good > 0) return { openBy: `of ${good} answers an estimate alone says whether they are good (tpotMs); ${remedy}` };
  return unread > 0 ? { openBy: `of ${unread} answers nobody knows whether they were good: ${unreadForm}` } : {};
}

function openGoodRate(source: GateSource, endpoint: EndpointId | null, guessed: Guessed): Pick<Reading, "givenUp" | "openBy"> {
  if (guessed.good + guessed.unread > 0) return describeGuessed(guessed);
  return { givenUp: describeGivenUp(source, source.givenUp(endpoint), source.fraction("error_rate", endpoint).whole) };
}

/** Requests that were given up may have been errors. */
function errorsOf(count: Reading, source: GateSource, endpoint: EndpointId | null): Reading {
  const open = source.givenUp(endpoint);
  const certain = exact(source.certainErrors(endpoint)).range;
  if (open === 0) return { ...count, certain };
  const { least } = count.range;
  const range = { least, most: least + open };
  const { whole } = source.fraction("error_rate", endpoint);
  return { ...count, value: null, atLeast: least, range, certain, givenUp: describeGivenUp(source, open, whole) };
}

function describeGivenUp({ timeoutSeconds }: GateSource, open: number, of: number): string {
  return `${open} of ${of} were not finished within ${timeoutSeconds} s, the time-out of this profile`;
}

/** Of a plan that is not sent to its end: the percentile if all requests that are missing were the fastest. */
function rangeOfPlan(samples: SampleSet, percentile: number, planned: number | null): Pick<Reading, "ofPlan"> {
  const rank = planned === null ? 0 : samples.count - mostBeyond(1 - percentile / 100, planned);
  return rank < 1 ? {} : { ofPlan: { least: samples.orderStatistic(rank), most: Infinity } };
}

function shareOfPlan({ part }: Share, planned: number | null): Pick<Reading, "ofPlan"> {
  return planned === null ? {} : { ofPlan: { least: leastShare(part, planned), most: 1 } };
}

/** `max` can only grow with more samples and `min` only shrink: one end is certain at once, the other is not. */
function extreme(which: "min" | "max", samples: SampleSet): Reading {
  const needed = Math.max(0, extremeFloor - samples.count);
  const value = samples[which]() ?? 0;
  if (which === "min") {
    const most = samples.mostOrderStatistic(1);
    return { ...known(value, most), needed, range: { least: needed > 0 ? -Infinity : value, most } };
  }
  const most = samples.mostOrderStatistic(samples.count);
  return { ...known(value, most), needed, range: { least: value, most: needed > 0 ? Infinity : most } };
}

/** A value between two ends is not known. */
function known(least: number, most: number): Reading {
  return least === most ? exact(least) : { ...exact(least), value: null, atLeast: least };
}

function extremeShare(which: "min" | "max", { part, whole, most }: Share): Reading {
  const needed = Math.max(0, extremeFloor - whole);
  const [least, upper] = [part / whole, (most?.part ?? part) / whole];
  const open = needed > 0 ? Infinity : 0;
  const range = which === "max" ? { least, most: upper + open } : { least: least - open, most: upper };
  return { ...known(least, upper), needed, range };
}

function shareOf({ bound, operator }: Gate, share: Share): Reading {
  // No sample proves that there is never any, or always: that is judged as an extreme.
  const which = bound === 0 ? "max" : bound === 1 ? "min" : null;
  const isExtreme = ["==", bound === 0 ? "<=" : ">="].includes(operator);
  if (which !== null && isExtreme) return extremeShare(which, share);
  return estimated(estimateShare(share));
}
