import type { CacheAudit, CacheCount } from "./cache-count.ts";
import type { GateResult, LoadLimitCheck } from "./gate-result.ts";
import type { GeneratorHealth, InstrumentAccuracy } from "./generator-health.ts";
import type { LimitAccount } from "./limits-result.ts";
import type { LeavingCount } from "./leaving-count.ts";
import type { LoadBlocks, LoadDistribution, LoadHeatmap, LoadSecond, StreamSample } from "./load-figures.ts";
import type { NotSentReason, OutcomeClass } from "./load-outcome.ts";
import type { CrossCheck, ServerTruth, UsageCheck } from "./second-account.ts";
import type { ProbeResult } from "./probe-result.ts";
import type { Verdict } from "./verdict.ts";

export interface LoadResult extends InstrumentAccuracy {
  readonly profiles: readonly LoadProfileResult[];
}

export interface LoadProfileResult {
  readonly id: string;
  readonly title: string;
  /** Identifies what was sent, whatever the profile is called; absent in older results and for profiles that a program made. */
  readonly content?: ProfileContent;
  /** `poisson 20/s for 30 s` */
  readonly arrivals: string;
  readonly workload: string;
  readonly engine: "assay" | "autocannon";
  readonly startedMs: number;
  readonly durationMs: number;
  readonly warmUpMs: number;
  readonly counts: RequestCounts;
  /** Of a profile of conversations; absent in older results. */
  readonly conversations?: ConversationCounts;
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
  /** With those that may be good: given up before they missed a bound, or by an estimate only. */
  readonly goodFractionMost?: number;
  /** Lengths that were asked for beside those of `usage`; absent where there are none of both, and in older results. */
  readonly lengths?: TokenLengths;
  /** Round trips to the target without load, before it; absent where several machines send, and in older results. */
  readonly network?: NetworkFigures;
  /** Tokens of prompts that a cache of the target held; absent where no answer says, and in older results. */
  readonly cache?: CacheCount;
  /** The same prompts asked again beside fresh ones; absent where the profile does not ask for it. */
  readonly cacheAudit?: CacheAudit;
  /** A second key that asked meanwhile; absent where the profile asks for none. */
  readonly probe?: ProbeResult;
  /** Of a workload with clients that go away on purpose; absent for any other, and in older results. */
  readonly leaving?: LeavingCount;
  readonly distributions: readonly LoadDistribution[];
  readonly series: readonly LoadSecond[];
  readonly heatmap: LoadHeatmap | null;
  readonly streams: readonly StreamSample[];
  /** `buffered`, `clumped`, `early-role` ... */
  readonly observations: readonly {
    readonly id: string;
    readonly message: string;
    readonly count: number;
    readonly outOf: number;
  }[];
  /** Our times beside the server's own account; null where it gives none. */
  readonly serverTruth: ServerTruth | null;
  readonly steadyState: { readonly fromMs: number; readonly toMs: number; readonly method: string } | null;
  /** A second tool's figures for the same closed loop; null where none was asked for. */
  readonly crossCheck?: CrossCheck | null;
  /** Why the second tool was asked for and did not run. */
  readonly crossCheckSkipped?: string | null;
  readonly steps: readonly LoadStep[];
  readonly knee: { readonly offered: number; readonly goodput: number; readonly reason: string } | null;
  /** Of a search for capacity; absent for any other profile. */
  readonly capacity?: CapacityResult;
  readonly gates: readonly GateResult[];
  /** Of a profile that was sent several times: which run this is. */
  readonly repeat?: RepeatPlace;
  /** Gates by this run alone; `gates` are those over all runs, and stand with the last one. */
  readonly ownGates?: readonly GateResult[];
  /** Of the last run: the figures of all. */
  readonly repeats?: {
    readonly runs: number;
    /** Of runs that end by themselves: the most that they may be. */
    readonly planned: number;
    readonly figures: readonly RepeatFigure[];
    /** Of runs that end by themselves. */
    readonly end?: RepeatEnd;
  };
  /** Every limit check over the traffic of this profile; empty where none had the evidence, absent in older results. */
  readonly limitChecks?: readonly LoadLimitCheck[];
  /** The requests by key and endpoint where a cache answered some, which say nothing of a limit; absent: no cache answered. */
  readonly limitAccount?: readonly LimitAccount[];
  /** The blocks that `assay compare` resamples; null: the profile was too short for blocks. */
  readonly blocks: LoadBlocks | null;
  readonly health: GeneratorHealth;
  /** Tokens that the answers reported beside those of GET /v1/usage; null when not asked. */
  readonly usageCheck?: UsageCheck | null;
  /**
   * Requests whose records were kept, and those beyond two million, which were counted into histograms; `lengths`, `cache` and `leaving` are of those kept. Absent: all were kept.
   */
  readonly counted?: { readonly kept: number; readonly counted: number };
  /** Why the profile ended before its time; null when it did not. */
  readonly endedEarly?: string | null;
  readonly validity: LoadValidity;
}

export interface RepeatPlace {
  /** Id of the profile that is repeated. */
  readonly of: string;
  /** From 1. */
  readonly number: number;
  readonly runs: number;
  /** They end before where half of each 95 % interval is at most this part of its mean. */
  readonly until?: number;
}

/** The figure of a repeated profile that is furthest from a narrow interval. */
interface RepeatWidth {
  readonly figure: string;
  /** In parts of its mean; null where no interval can be stated. */
  readonly halfWidth: number | null;
  /** It is a fraction, and `halfWidth` is one, too. */
  readonly isShare?: true;
  /** Why no interval can be stated, or why it says too little; else null. */
  readonly why: string | null;
}

/** Why the runs of a repeated profile ended. */
export interface RepeatEnd {
  /** Half of each 95 % interval was to be at most this part of its mean; of a fraction, this much. */
  readonly until: number;
  /**
   * `narrow`: it was, and decided its gates if fewer runs than were allowed were sent. `most-runs`: it was not after as many as were allowed.
   * `broken-off`: fewer, and it was not.
   */
  readonly reason: "narrow" | "most-runs" | "broken-off";
  readonly widest: RepeatWidth;
  /** The figures whose intervals count: those of its gates, else latencies and rates. Absent in results of older versions. */
  readonly figures?: readonly string[];
  readonly basis?: "gates" | "report";
}

/** A figure of several runs of one profile. */
export interface RepeatFigure {
  readonly name: string;
  readonly unit: "ms" | "/s";
  /** Of each run. */
  readonly values: readonly number[];
  /** Mean over the runs with its 95 % interval. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Standard deviation between the runs, and the standard error within one; null where no run has an interval. */
  readonly between: number;
  readonly within: number | null;
}

/** A part of every time to first token that no model can spare. */
export interface NetworkFigures {
  /** Time that TCP takes to connect: one packet there and one back. */
  readonly source: "tcp-connect";
  readonly connections: number;
  readonly minMs: number;
  readonly medianMs: number;
}

/** Tokens of the answered requests of the measured window for which both numbers are known. */
export interface TokenLengths {
  readonly prompt: LengthCount | null;
  readonly output: LengthCount | null;
}

export interface LengthCount {
  readonly requests: number;
  /** Sums over them. */
  readonly asked: number;
  readonly counted: number;
  /** Requests in which both are the same. */
  readonly exact: number;
}

/** Digests: 16 hexadecimal digits each. */
export interface ProfileContent {
  /** Of everything that decides what is sent and what makes an answer good; equal digests mean equal load. */
  readonly digest: string;
  /** Of each member by itself, so that a difference can be named. */
  readonly members: Readonly<Record<string, string>>;
}

/** All requests of a profile, warm-up included: `planned` = `sent` - `retried` + `unsent`. */
export interface RequestCounts {
  /** Requests of the schedule, or that a closed loop came to. */
  readonly planned: number;
  /** Attempts, repetitions included. */
  readonly sent: number;
  readonly completed: number;
  /** Repetitions of requests that were refused or failed. */
  readonly retried: number;
  /** Requests sent once more, because the target had just closed their connection; in no other count. Absent in older results. */
  readonly resent?: number;
  /** Requests and repetitions that never left. Absent in older results. */
  readonly unsent?: number;
}

/** `planned` = `completed` + `cancelled` + `unfinished` + `notSent`. */
export interface ConversationCounts {
  readonly planned: number;
  /** Every turn was answered. */
  readonly completed: number;
  /** A turn was not answered, so that the later ones were not sent. */
  readonly cancelled: number;
  /** The profile ended between two turns. */
  readonly unfinished: number;
  /** The profile ended before the first turn. */
  readonly notSent: number;
}

export interface LoadValidity {
  readonly valid: boolean;
  readonly reasons: readonly string[];
  /** Every reason is that the generator was too slow. */
  readonly generatorLimited?: boolean;
  /** Lateness of the generator that no gate was near enough to be turned by. */
  readonly remarks?: readonly string[];
}

/** The highest level at which all gates hold. */
export interface CapacityResult {
  readonly of: "rate" | "concurrency";
  /** Requests a second, or requests in flight; null: no level holds. */
  readonly value: number | null;
  /** 95 % interval; `high` is null where every level that may be tried holds. */
  readonly low: number | null;
  readonly high: number | null;
  /** Why the search ended: the interval was narrow enough, or what it may use was used up, or there was nothing more to find. */
  readonly stop: "narrow" | "requests" | "seconds" | "above" | "below" | "generator" | "unseen" | "ended";
  /** About so many requests would make the interval narrow enough; null where it is, or nothing of that is known. Absent in older results. */
  readonly needed?: number | null;
  /** In words, with the requests that were spent. */
  readonly reason: string;
  /** The gate that is missed first. */
  readonly limitedBy: string | null;
  readonly trials: number;
  readonly requests: number;
  /** The share of requests that miss that gate, by level: it cannot fall where the level rises. */
  readonly curve: readonly { readonly level: number; readonly share: number; readonly requests: number }[];
}

/** Requests of a trial that miss a gate. */
export interface StepMisses {
  readonly gate: string;
  /** The share that may miss it. */
  readonly allowed: number;
  readonly missed: number;
  /** The beginning of a trial is left out, and of a loop its end. */
  readonly counted: number;
  /** Independent requests that those counted are worth. */
  readonly effective: number;
}

export interface LoadStep {
  /** The rate that the search asked for; the schedule is drawn by chance and may hold more or fewer. Absent in older results. */
  readonly asked?: number;
  /** Requests in flight; absent where a rate was asked for. */
  readonly concurrency?: number;
  /** Length, without the wait for the last answers. Absent in older results. */
  readonly seconds?: number;
  /** By gate, of a search for capacity. */
  readonly misses?: readonly StepMisses[];
  /** Tokens that arrived, per second, and medians; null where there are none. Absent in older results. */
  readonly outputTokens?: number | null;
  readonly ttftP50?: number | null;
  readonly tpotP50?: number | null;
  /** An answer of the step did not state its tokens: chunks were counted. */
  readonly tokensEstimated?: boolean;
  /** Requests that were offered, sent or not, per second. */
  readonly offered: number;
  /** Requests that were sent, per second. */
  readonly achieved: number;
  readonly goodput: number;
  /** Requests that were offered, and answers that the percentiles are of. Absent in older results. */
  readonly requests?: number;
  readonly answers?: number;
  /** null below the sample floor. */
  readonly userLatencyP95: number | null;
  readonly ttftP95: number | null;
  readonly verdict: Verdict;
  /**
   * Why a rate could not be judged, and what stood in the way: the generator sent late, too few requests were offered, or the generator
   * read so late that it could have turned the verdict.
   */
  readonly reason?: string;
  readonly limitedBy?: "generator" | "samples" | "instrument";
}
