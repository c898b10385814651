import type { EndpointId } from "../exchange/endpoint.ts";
import type { OutcomeClass } from "./load-outcome.ts";

/** Metric names: service latency, dispatch delay and user latency are three, never one. */
export type LoadMetric =
  | "dispatch-delay"
  | "ttfb"
  | "ttfe"
  | "ttft"
  | "ttfo"
  | "inter-chunk"
  | "inter-token"
  | "tpot"
  | "longest-stall"
  | "service-latency"
  | "user-latency"
  | "connect"
  | "tokens-per-second";

export interface LoadDistribution {
  readonly metric: LoadMetric;
  readonly endpoint: EndpointId;
  readonly outcome: OutcomeClass;
  readonly phase: "whole" | "steady";
  readonly unit: "ms" | "tokens/s";
  /** The server did not report token boundaries: derived from chunks. */
  readonly estimated: boolean;
  readonly count: number;
  /** Those of the count that were given up at the time-out before this figure came: each is longer than it had taken by then. */
  readonly givenUp?: number;
  readonly min: number | null;
  /** Both null where some were given up: nobody knows them. */
  readonly mean: number | null;
  readonly max: number | null;
  readonly percentiles: readonly PercentileEstimate[];
  /** Of those that ended: mergeable HdrHistogram V2, base64, microseconds. */
  readonly histogram: string | null;
}

export interface PercentileEstimate {
  /** 50, 90, 95, 99, 99.9 ... */
  readonly percentile: number;
  /** null below the sample floor, and where it lies among requests that were given up. */
  readonly value: number | null;
  /** Of such a percentile: it is this much or more. */
  readonly atLeast?: number;
  /** 95 % confidence interval from order statistics, whatever the distribution and the dependence of the samples. */
  readonly low: number | null;
  readonly high: number | null;
  /** Samples still needed before the value may be reported. */
  readonly needed: number;
  /** The samples depend too much on each other for an interval: about so many times as many would have one. */
  readonly timesAsLong?: number;
  /** It takes that much at the least: too little was seen to know how much. */
  readonly timesAtLeast?: true;
}

export interface LoadSecond {
  readonly second: number;
  readonly offered: number;
  readonly sent: number;
  readonly ok: number;
  readonly limited: number;
  readonly failed: number;
  /** Planned and held back: a stated wait, the budget, or too many in flight. */
  readonly notSent: number;
  readonly inFlight: number;
  /** Percentiles are null below the sample floor: most seconds hold too few requests for a p99, and report their slowest. */
  readonly ttftP50: number | null;
  readonly ttftP99: number | null;
  readonly dispatchDelayP99: number | null;
  /** First tokens of the second, and the slowest of them. Absent in older results. */
  readonly ttftCount?: number;
  readonly ttftMax?: number | null;
  readonly dispatchDelayMax?: number | null;
  /** Longest delay of the event loop in that second, and the share of it in which it was busy; null: nobody looked. */
  readonly loopDelayMaxMs: number | null;
  readonly loopUtilization: number | null;
  /** The generator was late or busy beyond its bounds, or nobody looked while requests were under way. */
  readonly tainted: boolean;
}

/** User latency of successes over time; `cells[column][row]` counts. */
export interface LoadHeatmap {
  readonly columnMs: number;
  /** Upper edges in milliseconds, logarithmic. */
  readonly rowsMs: readonly number[];
  readonly cells: readonly (readonly number[])[];
}

export interface StreamSample {
  readonly seq: number;
  readonly why: "slowest" | "random";
  readonly intendedMs: number;
  readonly sentMs: number;
  readonly headersMs: number | null;
  readonly firstTokenMs: number | null;
  readonly eventsMs: readonly number[];
  readonly endMs: number;
  readonly done: boolean;
}

/**
 * The measured window cut into equal blocks of time by intended send instant: the unit of the block bootstrap, which keeps
 * the correlation of neighbouring requests. Value `v` of a metric lies in bucket `round(ln(v / 1 us) / ln(1 + width))`.
 */
export interface LoadBlocks {
  readonly blockMs: number;
  /** Relative width of a bucket, e.g. 0.01. */
  readonly bucketWidth: number;
  /** Per block. */
  readonly attempted: readonly number[];
  readonly ok: readonly number[];
  readonly good: readonly number[];
  readonly outputTokens: readonly number[];
  readonly metrics: readonly {
    readonly metric: LoadMetric;
    readonly endpoint: EndpointId;
    /** Per block: bucket, count, bucket, count ... */
    readonly counts: readonly (readonly number[])[];
  }[];
}
