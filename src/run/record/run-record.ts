import type { FileHeads } from "../../core/result/chain-head.ts";
import type { Unmet } from "../../conformance/plan/case-needs.ts";
import type { NotJudged } from "../../limits/probe/not-judged.ts";
import type { RedactedManifest } from "../../core/manifest.ts";
import type { SuiteId } from "../../core/result/requirement.ts";
import type { RunHeader } from "../../core/result/run-header.ts";
import type { MeasurementHealth, Result } from "../../core/result/result.ts";
import type { ExpectedScope } from "../scope/expected-scope.ts";
import type { FileDigest } from "../challenge-recorder.ts";
import type { Stage } from "../run-options.ts";

/**
 * Everything about a run that neither `evidence.ndjson` nor `load.ndjson` holds; `run.json` of the run folder. Together they
 * give the same result again, byte for byte, without the target.
 */
export interface RunRecord extends RunHeader {
  readonly stages: readonly Stage[];
  readonly suites: readonly SuiteId[];
  /** Requirements that were asked for by id or by case; null: all of the suites. */
  readonly rows: readonly string[] | null;
  /** Limit checks that were asked for by id, which then answer for the rows that they decide. Absent: none was. */
  readonly checks?: readonly string[];
  /** `--expect-scope`: what an earlier run judged. */
  readonly expected: ExpectedScope | null;
  readonly interrupted: "SIGINT" | "SIGTERM" | null;
  readonly internalError: string | null;
  readonly invalidBecause: readonly string[];
  readonly server: string | null;
  /** Switches of the embedded reference service; empty on every other target. */
  readonly variants: readonly string[];
  readonly mutants: readonly string[];
  /** The manifest without secrets. */
  readonly manifest: RedactedManifest;
  /** Why requirements could not be tried. */
  readonly untested: readonly (readonly [requirement: string, unmet: Unmet])[];
  readonly limitsNotJudged: readonly NotJudged[];
  readonly spent: Result["spent"];
  readonly health: Omit<MeasurementHealth, "valid" | "reasons">;
  readonly notes: readonly string[];
  /** Ends of `evidence.ndjson` and `load.ndjson`, so that what is cut off is noticed; null: there is no such file. */
  readonly heads: FileHeads;
  /** Files that describe a run with a challenge, as they were at its end. Empty: it had none. */
  readonly witness: readonly FileDigest[];
  /** SHA-256 of this record without this member, hexadecimal (`sealRecord`). */
  readonly seal: string;
}
