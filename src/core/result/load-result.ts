import type { EndpointId } from "../exchange/endpoint.ts";
import type { Verdict } from "./verdict.ts";

export interface LoadResult {
  readonly profiles: readonly LoadProfileResult[];
  readonly calibration: CalibrationResult | null;
}

/** Classes that are never mixed in one latency distribution. */
export type OutcomeClass =
  | "ok"
  | "rate-limited"
  | "burst-limited"
  | "spend-capped"
  | "client-error"
  | "server-error"
  | "transport-error"
  /** Cut off by the generator itself, at the end of its grace after an interrupt or the last send. */
  | "interrupted"
  | "not-sent";

/**
 * What held a planned send back: a wait that the target promised and the profile obeys, `maxInFlight` of the profile, or the
 * budget of the run.
 */
export type NotSentReason = "retry-after" | "max-in-flight" | "budget";

export interface LoadProfileResult {
  readonly id: string;
  readonly title: string;
  /** `poisson 20/s for 30 s` */
  readonly arrivals: string;
  readonly workload: string;
  readonly engine: "assay" | "autocannon";
  readonly startedMs: number;
  readonly durationMs: number;
  readonly warmUpMs: number;
  readonly counts: { readonly planned: number; readonly sent: number; readonly completed: number; readonly retried: number };
  readonly outcomes: Readonly<Partial<Record<OutcomeClass, number>>>;
  /** The outcome `not-sent` by its reason; absent in results that were written before reasons were kept. */
  readonly notSent?: Readonly<Partial<Record<NotSentReason, number>>>;
  /** Per second over the measured window. */
  readonly rates: {
    readonly offered: number;
    readonly achieved: number;
    readonly ok: number;
    readonly outputTokens: number | null;
    readonly goodput: number | null;
  };
  /** Good answers over all attempts. */
  readonly goodFraction: number | null;
  readonly distributions: readonly LoadDistribution[];
  readonly series: readonly LoadSecond[];
  readonly heatmap: LoadHeatmap | null;
  readonly streams: readonly StreamSample[];
  /** Stream honesty and other observations: `buffered`, `clumped`, `early-role` ... */
  readonly observations: readonly {
    readonly id: string;
    readonly message: string;
    readonly count: number;
    readonly outOf: number;
  }[];
  /** Our times beside the server's own account; null where it gives none. */
  readonly serverTruth: ServerTruth | null;
  readonly steadyState: { readonly fromMs: number; readonly toMs: number; readonly method: string } | null;
  /** A second tool's figures for the same closed loop in the same run; null where none was asked for. */
  readonly crossCheck?: CrossCheck | null;
  /** Why the second tool was asked for and did not run. */
  readonly crossCheckSkipped?: string | null;
  readonly steps: readonly LoadStep[];
  readonly knee: { readonly offered: number; readonly goodput: number; readonly reason: string } | null;
  readonly gates: readonly GateResult[];
  /** Every limit check over the traffic of this profile; empty where none had the evidence, absent in older results. */
  readonly limitChecks?: readonly LoadLimitCheck[];
  /** What `assay compare` resamples; null where the profile was too short for blocks. */
  readonly blocks: LoadBlocks | null;
  readonly health: GeneratorHealth;
  /** Tokens that the answers reported, compared with those that GET /v1/usage reports for the same time; null when not asked. */
  readonly usageCheck?: UsageCheck | null;
  /** Why the profile ended before its time; null when it did not. */
  readonly endedEarly?: string | null;
  readonly validity: LoadValidity;
}

export interface LoadValidity {
  readonly valid: boolean;
  readonly reasons: readonly string[];
  /** Every reason is that the generator was too slow. */
  readonly generatorLimited?: boolean;
}

/** Client minus server, from the Server-Timing field or llama.cpp `timings`. */
export interface ServerTruth {
  readonly source: "server-timing" | "llama.cpp";
  readonly samples: number;
  /** Time to first token less queue and prefill. */
  readonly firstTokenDifferenceMs: ServerDifference | null;
  /** First to last content event less decode time. */
  readonly decodeDifferenceMs: ServerDifference | null;
  /** First tokens that came earlier than the server says it had them. */
  readonly impossible: number;
}

/** Percentiles are null below the sample floor. */
export interface ServerDifference {
  readonly p50: number | null;
  readonly p99: number | null;
  /** Largest of all, and out of how many. Absent in older results. */
  readonly max?: number;
  readonly samples?: number;
}

/** Token counts of the target compared with ours for one profile. No verdict: other traffic of the account counts there too. */
export interface UsageCheck {
  /** Sum of `usage` over all answers of the profile, warm-up included; null when an answer reported none. */
  readonly ours: number | null;
  /** Growth of the reported total; null when the report could not be read. */
  readonly reported: number | null;
  readonly outcome: "agrees" | "reported-less" | "reported-more" | "not-comparable";
  readonly message: string;
}

/** Throughput of another generator against the same target, fenced by what it is known to get wrong. */
export interface CrossCheck {
  readonly tool: "autocannon";
  readonly connections: number;
  readonly seconds: number;
  /** What it sent; counted in the budget. */
  readonly requests?: number;
  readonly requestsPerSecond: number;
  /** Whole milliseconds by its nature; null when its own figures contradict each other. */
  readonly meanLatencyMs: number | null;
  readonly errors: number;
  readonly non2xx: number;
  /** Our engine's rate over the same number of connections, and its share of the other's. */
  readonly ourRequestsPerSecond: number;
  readonly ratio: number | null;
  /** Detectors that fired: `little`, `lost-requests`, `ended-by-budget`. */
  readonly problems: readonly string[];
}

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
  readonly min: number | null;
  readonly mean: number | null;
  readonly max: number | null;
  readonly percentiles: readonly PercentileEstimate[];
  /** Mergeable HdrHistogram V2, base64, microseconds. */
  readonly histogram: string | null;
}

export interface PercentileEstimate {
  /** 50, 90, 95, 99, 99.9 ... */
  readonly percentile: number;
  /** null below the sample floor. */
  readonly value: number | null;
  /** Distribution-free 95 % confidence interval from order statistics. */
  readonly low: number | null;
  readonly high: number | null;
  /** Samples still needed before the value may be reported. */
  readonly needed: number;
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
  readonly loopDelayMaxMs: number;
  readonly loopUtilization: number;
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

export interface LoadStep {
  /** The rate that the search asked for; the schedule is drawn by chance and may hold more or fewer. Absent in older results. */
  readonly asked?: number;
  /** Requests that fell due, per second. */
  readonly offered: number;
  /** Requests that were sent, per second. */
  readonly achieved: number;
  readonly goodput: number;
  /** Requests that fell due, and answers that the percentiles are of. Absent in older results. */
  readonly requests?: number;
  readonly answers?: number;
  /** null below the sample floor. */
  readonly userLatencyP95: number | null;
  readonly ttftP95: number | null;
  readonly verdict: Verdict;
  /** Why a rate could not be judged, and what stood in the way: the generator was late, or too few requests fell due. */
  readonly reason?: string;
  readonly limitedBy?: "generator" | "samples";
}

export interface GateResult {
  readonly id: string;
  /** As written: `ttft.p95 < 800ms`. */
  readonly expression: string;
  readonly bound: number;
  readonly unit: string;
  readonly observed: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Positive when met, as a fraction of the bound. */
  readonly margin: number | null;
  readonly verdict: Verdict;
  readonly reason: string | null;
  /** What it bounds; absent in results of older versions. */
  readonly kind?: GateKind;
  /** Why it is neither passed nor failed, as a code. */
  readonly doubt?: GateDoubt;
}

export type GateKind = "percentile" | "moment" | "fraction" | "rate" | "count" | "observation" | "limits";

/**
 * `too-few`: samples. `no-figure`: nothing was seen that gives it. `run-invalid`: the profile is not valid, or did not run to its end.
 * `instrument`: this machine cannot distinguish it from the bound.
 */
export type GateDoubt = "too-few" | "no-figure" | "run-invalid" | "instrument";

/** One limit check over the traffic of a profile: what decides a gate such as `limits.violations == 0`. */
export interface LoadLimitCheck {
  /** `requests/primary/chat` */
  readonly policy: string;
  /** Family of the check: `requests`, `burst`, `key-cap` ... */
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
  /** Evidence considered and the least needed for a verdict. */
  readonly considered: number;
  readonly needed: number;
  readonly message: string;
}

/** What is known of the clock of an agent: the run clock of the coordinator is ahead of it by something inside. */
export interface AgentClock {
  readonly lowMs: number;
  readonly highMs: number;
  /** By how much an instant of this agent may be wrong on the run clock, at most until now. */
  readonly errorMs: number;
  readonly exchanges: number;
  /** Exchanges that contradicted those before them. */
  readonly contradictions: number;
}

/** One of several machines that sent a profile together. */
export interface AgentHealth {
  readonly name: string;
  /** Null when it was lost before its clock was known. */
  readonly clock: AgentClock | null;
  /** What one loop of it can do at 70 % utilisation, by its own calibration. */
  readonly ceiling: { readonly requestsPerSecond: number; readonly eventsPerSecond: number };
  /** Why nothing was heard of it any more; null when it reported to the end. */
  readonly lost: string | null;
  /** Attempts that it sent, and those that were answered well. */
  readonly sent: number;
  readonly ok: number;
  readonly sentPerSecond: number;
  readonly loopUtilization: number;
  readonly loopDelayMaxMs: number;
}

export interface GeneratorHealth {
  /** Event loops that sent the profile, each in a thread of its own; absent: one. The figures below are those of the worst. */
  readonly loops?: number;
  /** Machines that sent the profile; absent: this one. */
  readonly agents?: readonly AgentHealth[];
  readonly loopUtilization: number;
  readonly loopDelayMaxMs: number;
  readonly dispatchDelayP99Ms: number | null;
  readonly achievedOverAsked: number | null;
  /** |L - lambda W| / L; near 0 when the bookkeeping is sound. */
  readonly littleDiscrepancy: number | null;
  readonly runDelayMs: number | null;
  readonly taintedSeconds: number;
  /** Widest interval (99th percentile) within which a first token had arrived: what a figure cannot be finer than. */
  readonly firstTokenIntervalP99Ms?: number | null;
}

/** Error of this machine, measured against the reference service's own clock just before the load. */
export interface CalibrationResult {
  readonly ttftErrorMs: ErrorSpread;
  readonly eventErrorMs: ErrorSpread;
  readonly interTokenErrorMs: ErrorSpread;
  /** Of the mean gap of a stream. Absent in older results. */
  readonly tpotErrorMs?: ErrorSpread;
  /** Share of events whose true instant lay in the stamped interval. */
  readonly intervalCoverage: number;
  /** Share of events that were stamped no earlier than they were sent: anything below 1 is a fault of the instrument. */
  readonly upperBoundHeld: number;
  /** What readers of any figure should know about this machine. Absent in older results. */
  readonly doubts?: readonly string[];
  /** What this process could do at 70 % loop utilisation, extrapolated from its busy time in the calibration. */
  readonly ceiling: { readonly requestsPerSecond: number; readonly eventsPerSecond: number; readonly streams: number };
  readonly durationMs: number;
}

/** Percentiles are null below the sample floor. */
export interface ErrorSpread {
  readonly p50: number | null;
  readonly p99: number | null;
  readonly samples: number;
  /** Absent in older results. */
  readonly p95?: number | null;
  readonly max?: number;
}
