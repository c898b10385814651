import type { EndpointId } from "../exchange/endpoint.ts";
import type { LoadMetric } from "./load-figures.ts";
import type { ExitCode, Verdict } from "./verdict.ts";

/**
 * Answer of `assay compare BASE NEXT`. Says first whether the two runs may be compared at all; every figure carries an
 * interval and the smallest change that this amount of data could have shown.
 */
export interface CompareResult {
  readonly schemaVersion: "1.0";
  readonly base: ComparedRun;
  readonly next: ComparedRun;
  readonly comparability: {
    readonly comparable: boolean;
    readonly checks: readonly ComparabilityCheck[];
  };
  readonly method: ComparisonMethod;
  /** One entry for each metric, endpoint and profile that both runs measured, worst first. */
  readonly metrics: readonly MetricComparison[];
  /** Change of whole distributions, for reading; verdicts rest on `metrics` alone. */
  readonly shifts: readonly QuantileShift[];
  /** Sweeps of both runs, and what was laid over them, for reading: they need not be of one workload. Absent where there are none. */
  readonly curves?: readonly ComparedCurve[];
  /** Metrics that only one run has, or that could not be compared, with the reason. */
  readonly notCompared: readonly { readonly profile: string; readonly metric: string; readonly reason: string }[];
  readonly conformance: VerdictDelta;
  readonly limits: VerdictDelta;
  readonly gates: VerdictDelta;
  /** The requirements, limit policies and gates that base judged and next did not. Exit 3 with `--gate`. */
  readonly lostCoverage: readonly VerdictChange[];
  readonly verdict: ComparisonVerdict;
  /** One sentence that explains the verdict. */
  readonly reason: string;
  readonly exitCode: ExitCode;
}

/** One point for each level of load. */
export interface ComparedCurve {
  /** Run and profile, or tool and file. */
  readonly name: string;
  readonly points: readonly {
    readonly label: string;
    /** Tokens a second that one user sees while an answer comes. */
    readonly perUser: number;
    /** Output tokens a second of all users. */
    readonly inAll: number;
    readonly ttftMs: number | null;
    readonly tpotMs: number | null;
  }[];
}

export interface ComparedRun {
  readonly runId: string;
  readonly target: string;
  readonly baseUrl: string;
  readonly startedAt: string;
  readonly toolVersion: string;
  readonly seed: number;
}

export type ComparisonVerdict = "better" | "worse" | "no detectable change" | "judges less" | "not comparable";

export interface ComparabilityCheck {
  /** `same-spec`, `same-workload`, `both-valid` ... */
  readonly id: string;
  readonly outcome: "same" | "differs" | "unknown";
  /** A blocking difference makes the comparison not comparable; others are only reported. */
  readonly blocking: boolean;
  readonly message: string;
}

export interface ComparisonMethod {
  /** `unpaired`: two runs after each other. `interleaved`: rounds A B B A ... against both targets, compared in pairs. */
  readonly design: "unpaired" | "interleaved";
  /** `block bootstrap, percentile interval` with its parameters in words. */
  readonly name: string;
  readonly resamples: number;
  readonly seed: number;
  /** Two-sided confidence of every interval, e.g. 0.95; corrected for the number of comparisons where stated in `name`. */
  readonly confidence: number;
  /** Relative change below which a difference is not called one, e.g. 0.05. */
  readonly minimumEffect: number;
}

/** A statistic of one metric in both runs: `p50`, `p95`, `mean`, or a rate of the whole profile. */
export interface MetricComparison {
  readonly profile: string;
  readonly metric: LoadMetric | "error-rate" | "good-fraction" | "ok-per-second" | "output-tokens-per-second";
  readonly endpoint: EndpointId | null;
  /** `p50`, `p90`, `p95`, `p99`, `rate`, `fraction`. */
  readonly statistic: string;
  readonly unit: "ms" | "tokens/s" | "/s" | "fraction";
  /** The direction in which the metric gets better. */
  readonly better: "lower" | "higher";
  readonly base: EstimateWithInterval;
  readonly next: EstimateWithInterval;
  /** next - base, in the unit of the metric. */
  readonly difference: EstimateWithInterval;
  /** (next - base) / base; null where base is 0. */
  readonly relative: EstimateWithInterval | null;
  readonly verdict: Exclude<ComparisonVerdict, "not comparable" | "judges less"> | "too few" | "instrument unknown";
  /** Smallest relative change that these data would have shown with 80 % probability; null when unknown. */
  readonly minimumDetectableEffect: number | null;
  /** Blocks of time that were resampled in base and next. */
  readonly blocks: readonly [number, number];
  readonly reason: string | null;
}

/** Relative change at quantiles over a whole distribution (shift function; Doksum 1974). */
export interface QuantileShift {
  readonly profile: string;
  readonly metric: LoadMetric;
  readonly endpoint: EndpointId | null;
  /** Rising; intervals are pointwise, at the confidence of the method, not corrected for their number. */
  readonly quantiles: readonly {
    readonly percentile: number;
    /** Milliseconds. */
    readonly base: number;
    readonly next: number;
    readonly relative: { readonly value: number; readonly low: number; readonly high: number };
  }[];
}

export interface EstimateWithInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Observations behind the estimate. */
  readonly count: number;
}

/** The differences between the verdicts of two runs, by requirement, limit check or gate id. */
export interface VerdictDelta {
  readonly fixed: readonly VerdictChange[];
  readonly broken: readonly VerdictChange[];
  /** Neither better nor worse: pass to untested, observed to inconclusive ... */
  readonly changed: readonly VerdictChange[];
  readonly unchanged: number;
}

export interface VerdictChange {
  readonly id: string;
  readonly base: Verdict | null;
  readonly next: Verdict | null;
  readonly message: string | null;
}
