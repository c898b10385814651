import type { ExamPartName, LimitPolicyKind } from "./checks/limit-policies.ts";
import type { LimitCheckId } from "./checks/limit-check.ts";
import type { AccountEntry } from "./operation-account.ts";
import type { EndpointId } from "../exchange/endpoint.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { LimitPhase, LimitPolicyId } from "../exchange/limit-phase.ts";
import type { UntestedReason, Verdict } from "./verdict.ts";

export interface LimitsResult {
  readonly verdict: Verdict;
  readonly policies: readonly LimitPolicyResult[];
  readonly spent: { readonly requests: number; readonly minutes: number; readonly cents: number };
  /** The parts that could not be judged, each with the thing that it lacked. */
  readonly notJudged: readonly {
    readonly policy: UnjudgedPart;
    readonly reason: string;
    /** Present where the manifest lacks what is needed: the code that the reason begins with. */
    readonly untested?: UntestedReason;
  }[];
  /** The requests of each policy: absent in older results. */
  readonly account?: readonly LimitAccount[];
}

/** The fate of all requests that a policy was examined with: `sent` is the sum of the others. A request may count against several limits. */
export interface LimitAccount {
  /** `requests/KEY/ENDPOINT`: the kind of limit, and the key and endpoint that were asked. */
  readonly policy: string;
  readonly sent: number;
  readonly judged: number;
  /** Answers that say nothing of a limit, by the reason. */
  readonly leftOut: readonly AccountEntry[];
}

/**
 * Parts without a verdict: those that a plan leaves out, those that a target puts out of reach, `limits` if their judge failed.
 */
export type UnjudgedPart =
  | ExamPartName
  | `requests, ${EndpointId}`
  | `return after the stated wait, ${EndpointId | "tokens"}`
  | `${LimitPolicyId}, shortened`
  | "charge of embeddings, tokens"
  | "streams that clients leave, tokens"
  | "raised limit and changes within a window, burst"
  | "limits";

/** Strength of a statement about a limiter (docs/guide/limits.md). */
export type LimitTier = "violation" | "unexplained" | "consistent" | "unrefuted" | "inconclusive";

export interface LimitPolicyResult {
  readonly id: string;
  readonly title: string;
  readonly kind: LimitPolicyKind;
  readonly key: string;
  /** null: the policy spans all endpoints of the key. */
  readonly endpoint: EndpointId | null;
  readonly declared: {
    readonly limit: number | null;
    readonly windowSeconds: number | null;
    readonly cooldownSeconds: number | null;
    readonly capCents: number | null;
    readonly algorithm: string | null;
  };
  readonly verdict: Verdict;
  readonly tier: LimitTier;
  /**
   * The requests that it was judged from: those of an exam, of load, or of other stages (`passing`), which need not decide
   * anything.
   */
  readonly drivenBy: "exam" | "load" | "passing";
  readonly summary: string;
  readonly checks: readonly LimitCheckResult[];
  readonly identification: LimitIdentification | null;
  readonly tolerances: Readonly<Record<string, number>>;
  /** From the first byte sent to the head of the answer; absent in older results. */
  readonly latencies?: LimitLatencies;
  readonly timeline: LimitTimeline;
}

/** Answers and refusals are never mixed; null where there were none. */
export interface LimitLatencies {
  readonly served: LimitLatency | null;
  readonly refused: LimitLatency | null;
}

export interface LimitLatency {
  readonly count: number;
  readonly p50Ms: number;
  /** The nearest rank: of less than a hundred the longest. */
  readonly p99Ms: number;
}

export interface LimitCheckResult {
  /** `limits.over-admission`, `limits.lost-updates`, `limits.retry-after-too-short` ... */
  readonly id: LimitCheckId;
  readonly title: string;
  readonly requirements: readonly string[];
  readonly verdict: Verdict;
  readonly tier: LimitTier;
  readonly message: string;
  /** Evidence considered and the least needed for a verdict. */
  readonly considered: number;
  readonly needed: number;
  readonly certificate: LimitCertificate | null;
  readonly findings: readonly string[];
  /** Of the check of a token limit; absent where no answer shows limit, label and usage, and in older results. */
  readonly overshoot?: Overshoot;
}

/** The tokens that the fullest window admitted, and the bound for what it can admit where requests are charged after their answers. */
export interface Overshoot {
  readonly limit: number;
  /** Tokens of the answers of the fullest window. */
  readonly used: number;
  /** How many answers those were. */
  readonly answers: number;
  /** The most tokens of requests of one window that were under way at once. */
  readonly atOnce: number;
  /** How many requests those were. */
  readonly inFlight: number;
  /** Answers without usage, which are in none of these numbers. */
  readonly withoutUsage: number;
}

/** The smallest evidence for a statement, checkable without the code that found it. */
export interface LimitCertificate {
  readonly kind: string;
  readonly rule: string;
  readonly spec: string;
  readonly ops: readonly LimitOpView[];
  readonly parameters: Readonly<Record<string, number | string | boolean | null>>;
  readonly lawfulAlternative: string;
}

export interface LimitOpView {
  readonly seq: number;
  readonly sentMs: number;
  readonly headersMs: number | null;
  readonly status: number | null;
  readonly remaining: number | null;
  readonly resetSeconds: number | null;
  readonly retryAfterSeconds: number | null;
}

export interface LimitIdentification {
  /** Families that still explain the history, with their parameters. */
  readonly survivors: readonly {
    readonly family: string;
    readonly parameters: Readonly<Record<string, number | string | boolean>>;
    readonly witness: boolean;
  }[];
  readonly refuted: readonly {
    readonly family: string;
    readonly because: string;
    readonly certificate: LimitCertificate | null;
  }[];
  readonly nearest: string | null;
  /** The probe that would separate the survivors. */
  readonly nextProbe: string | null;
}

/** Everything a chart of the policy needs; instants in milliseconds on the run clock. */
export interface LimitTimeline {
  readonly ops: readonly LimitTimelineOp[];
  readonly windows: readonly {
    readonly fromMs: number;
    readonly toMs: number;
    readonly limit: number;
    readonly certain: number;
    readonly possible: number;
  }[];
  /** Remaining that a correct limiter of the nearest family could have shown. */
  readonly feasible: readonly { readonly atMs: number; readonly low: number; readonly high: number }[];
  readonly cooldowns: readonly {
    readonly fromMs: number;
    readonly promisedMs: number | null;
    readonly observedMs: number | null;
  }[];
  readonly retryAfter: readonly {
    readonly seq: number;
    readonly atMs: number;
    readonly promisedMs: number;
    readonly admittedMs: number | null;
    readonly headerSeconds: number | null;
    readonly bodySeconds: number | null;
    readonly bodyMs: number | null;
  }[];
  readonly spend: readonly { readonly atMs: number; readonly cents: number; readonly source: "responses" | "usage-report" }[];
  /** Caps in force over time, where a schedule changes them; absent: not reported. */
  readonly caps?: readonly { readonly atMs: number; readonly cents: number | null }[];
}

export type TimelinePhase = LimitPhase | Exchange["stage"];

export interface LimitTimelineOp {
  readonly seq: number;
  readonly endpoint: EndpointId | null;
  /** The purpose of the request, for readers: the phase of a schedule, or the stage. */
  readonly phase: TimelinePhase;
  readonly sentMs: number;
  readonly headersMs: number | null;
  readonly lane: "admitted" | "rejected" | "queued" | "other";
  readonly status: number | null;
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Reset header as an instant on the run clock. */
  readonly resetMs: number | null;
  /** Ids of findings in which it takes part. */
  readonly findings: readonly string[];
}
