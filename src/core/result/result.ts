import type { ConformanceResult } from "./conformance-result.ts";
import type { Finding } from "./finding.ts";
import type { LimitsResult } from "./limits-result.ts";
import type { LoadResult } from "./load-result.ts";
import type { RunHeader } from "./run-header.ts";
import type { OperationAccount } from "./operation-account.ts";
import type { ScopeResult } from "./scope-result.ts";
import type { ExitCode } from "./verdict.ts";

/** `result.json` (schemas/result.schema.json). The HTML report shows nothing that is not in here. */
export interface Result extends RunHeader {
  /**
   * passed: everything in scope was judged and met. failed: findings. incomplete: something in scope was not judged. invalid: the
   * run says nothing, because the target was not reached or the measurement is not valid.
   */
  readonly verdict: "passed" | "failed" | "incomplete" | "invalid" | "interrupted" | "internal-error";
  /** The verdict in one sentence. */
  readonly reason: string;
  /** Exit code of the command. */
  readonly exitCode: ExitCode;
  /** The service that was tested. */
  readonly target: {
    readonly name: string;
    readonly baseUrl: string;
    readonly plan: string | null;
    /** `reference service`, or what the target says of itself in its header Server. */
    readonly server: string | null;
  };
  /** The specification that the requirements come from. */
  readonly spec: { readonly title: string; readonly sha256: string };
  /** Whether a signal ended the run before its time. */
  readonly interrupted: boolean;
  /** The requests, tokens and money that the run used. */
  readonly spent: {
    readonly requests: number;
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly estimatedUsd: number;
  };
  /** Whether the machine that measured was fit to measure. */
  readonly health: MeasurementHealth;
  /** null where no requirements were judged: a run of load alone. */
  readonly scope: ScopeResult | null;
  /** Suites and requirements; null where the stage was not run. */
  readonly conformance: ConformanceResult | null;
  /** Limit policies and their checks; null where the stage was not run. */
  readonly limits: LimitsResult | null;
  /** Load profiles with figures and gates; null where the stage was not run. */
  readonly load: LoadResult | null;
  /** Requirements judged on every response, load included. */
  readonly passive: PassiveSummary;
  /** Everything that is wrong, worst first. */
  readonly findings: readonly Finding[];
  /** Remarks that are no findings: skipped stages, restored settings, budget stops. */
  readonly notes: readonly string[];
}

/** Whether the machine that measured can be trusted. */
export interface MeasurementHealth {
  readonly valid: boolean;
  readonly reasons: readonly string[];
  readonly loopUtilization: number | null;
  readonly loopDelayMaxMs: number | null;
  /** Server minus client, from Date headers: closed interval, null when not determined. */
  readonly clockOffsetMs: readonly [number, number] | null;
  readonly transportRaces: number;
  /** The wall clock of this machine was set during the run, or the machine slept; absent where it was not. It moves no verdict. */
  readonly clockJumps?: readonly ClockJump[];
}

export interface ClockJump {
  /** Since the begin of the run. */
  readonly atMs: number;
  /** Positive: forward. */
  readonly byMs: number;
}

/** Passive validation of every response of every stage. */
export interface PassiveSummary {
  readonly responsesSeen: number;
  readonly responsesJudged: number;
  /** The fate of every request, by stage and operation. */
  readonly account: readonly OperationAccount[];
  readonly violations: readonly PassiveViolation[];
}

export interface PassiveViolation {
  readonly requirement: string;
  readonly stage: string;
  /** `429 chat` */
  readonly subject: string;
  readonly message: string;
  /** The fault, without the parts that differ from answer to answer. */
  readonly kind: string;
  /** `advisory`: of a lenient reading, which fails no run. */
  readonly outcome: "fail" | "advisory";
  readonly count: number;
  readonly outOf: number;
  readonly exchanges: readonly number[];
}
