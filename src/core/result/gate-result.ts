import type { LimitCheckId } from "./checks/limit-check.ts";
import type { Overshoot } from "./limits-result.ts";
import type { Verdict } from "./verdict.ts";

export interface GateResult {
  readonly id: string;
  /** As written: `ttft.p95 < 800ms`. */
  readonly expression: string;
  readonly bound: number;
  readonly unit: string;
  readonly observed: number | null;
  /** The figure is this much or more: requests that were given up hide how much. */
  readonly atLeast?: true;
  /** It is an estimate, which decides nothing. */
  readonly estimated?: true;
  readonly low: number | null;
  readonly high: number | null;
  /** Positive when met, as a fraction of the bound. */
  readonly margin: number | null;
  /** Of an inconclusive gate: a profile about so many times as long would decide it. */
  readonly timesAsLong?: number;
  /** It takes that much at the least: too little was seen to know how much. */
  readonly timesAtLeast?: true;
  readonly verdict: Verdict;
  readonly reason: string | null;
  /** The quantity that it bounds; absent in results of older versions. */
  readonly kind?: GateKind;
  /** Why it is neither passed nor failed, as a code. */
  readonly doubt?: GateDoubt;
}

export type GateKind = "percentile" | "moment" | "fraction" | "rate" | "count" | "capacity" | "observation" | "limits";

/**
 * `too-few`: samples. `no-figure`: nothing was seen that gives it. `run-invalid`: the profile is not valid, or did not run to its end.
 * `unsettled`: latencies grew so much that a profile of twice the length would miss it. `estimate`: chunks stand for tokens, or usage counts tokens that may not have arrived. `given-up`: requests that were not finished within the time-out of the profile could turn it. `instrument`: this machine cannot distinguish it from the bound.
 */
export type GateDoubt = "too-few" | "no-figure" | "run-invalid" | "instrument" | "given-up" | "estimate" | "unsettled";

/** One limit check over the traffic of a profile: what decides a gate such as `limits.violations == 0`. */
export interface LoadLimitCheck {
  /** `requests/primary/chat` */
  readonly policy: string;
  /** Family of the check: `requests`, `burst`, `key-cap` ... */
  readonly kind: string;
  readonly id: LimitCheckId;
  readonly title: string;
  readonly verdict: Verdict;
  /** Evidence considered and the least needed for a verdict. */
  readonly considered: number;
  readonly needed: number;
  readonly message: string;
  /** Of the check of a token limit; absent where no answer shows limit, label and usage, and in older results. */
  readonly overshoot?: Overshoot;
}
