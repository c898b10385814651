import type { ConformanceResult } from "./conformance-result.ts";
import type { Finding } from "./finding.ts";
import type { LimitsResult } from "./limits-result.ts";
import type { LoadResult } from "./load-result.ts";
import type { ScopeResult } from "./scope-result.ts";
import type { ExitCode } from "./verdict.ts";

/** `result.json` (schemas/result.schema.json). The HTML report shows nothing that is not in here. */
export interface Result {
  readonly schemaVersion: "1.0";
  readonly runId: string;
  /**
   * passed: everything in scope was judged and met. failed: findings. incomplete: something in scope was not judged. invalid: the
   * run says nothing, because the target was not reached or the measurement is not valid.
   */
  readonly verdict: "passed" | "failed" | "incomplete" | "invalid" | "interrupted" | "internal-error";
  readonly reason: string;
  readonly exitCode: ExitCode;
  readonly target: {
    readonly name: string;
    readonly baseUrl: string;
    readonly plan: string | null;
    /** `reference service`, or what the target says of itself. */
    readonly server: string | null;
  };
  readonly tool: { readonly name: "assay"; readonly version: string; readonly node: string; readonly platform: string };
  readonly spec: { readonly title: string; readonly sha256: string };
  readonly command: readonly string[];
  readonly seed: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly strict: boolean;
  readonly interrupted: boolean;
  /** What the run used up. */
  readonly spent: {
    readonly requests: number;
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly estimatedUsd: number;
  };
  readonly health: MeasurementHealth;
  /** null where no requirements were judged: a run of load alone. */
  readonly scope: ScopeResult | null;
  readonly conformance: ConformanceResult | null;
  readonly limits: LimitsResult | null;
  readonly load: LoadResult | null;
  readonly passive: PassiveSummary;
  readonly findings: readonly Finding[];
  /** Things the reader must know that are no findings: skipped stages, restored settings, budget stops. */
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
}

/** Passive validation of every response of every stage. */
export interface PassiveSummary {
  readonly responsesSeen: number;
  readonly responsesJudged: number;
  readonly violations: readonly PassiveViolation[];
}

export interface PassiveViolation {
  readonly requirement: string;
  readonly stage: string;
  /** `429 chat` */
  readonly subject: string;
  readonly message: string;
  readonly count: number;
  readonly outOf: number;
  readonly exchanges: readonly number[];
}
