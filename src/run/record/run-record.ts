import type { Unmet } from "../../conformance/plan/case-needs.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";
import type { LoadResult } from "../../core/result/load-result.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { SuiteId } from "../../core/result/requirement.ts";
import type { MeasurementHealth, PassiveSummary, Result } from "../../core/result/result.ts";
import type { Stage } from "../run-options.ts";

/**
 * Everything about a run that the evidence does not hold; `run.json` of the run folder. Together with `evidence.ndjson` it
 * gives the same result again, byte for byte, without the target.
 */
export interface RunRecord {
  readonly schemaVersion: "1.0";
  readonly runId: string;
  readonly command: readonly string[];
  readonly seed: number;
  readonly strict: boolean;
  readonly stages: readonly Stage[];
  readonly suites: readonly SuiteId[];
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly interrupted: "SIGINT" | "SIGTERM" | null;
  readonly internalError: string | null;
  readonly invalidBecause: readonly string[];
  readonly tool: Result["tool"];
  readonly server: string | null;
  /** Switches of the embedded reference service; empty on every other target. */
  readonly variants: readonly string[];
  readonly mutants: readonly string[];
  /** Without secrets. */
  readonly manifest: Manifest;
  /** Why requirements could not be tried. */
  readonly untested: readonly (readonly [requirement: string, unmet: Unmet])[];
  readonly limitsNotJudged: LimitsResult["notJudged"];
  readonly spent: Result["spent"];
  readonly health: MeasurementHealth;
  /** Load is measured while it runs, with records that are not kept; the others are judged from the evidence. */
  readonly load: LoadResult | null;
  /** What limit checks proved during load. */
  readonly loadFindings: readonly Omit<Finding, "id">[];
  readonly passive: PassiveSummary;
  readonly notes: readonly string[];
}
