import type { Manifest } from "../core/manifest.ts";
import type { OnProgress } from "../core/progress.ts";
import type { SuiteId } from "../core/requirement.ts";

export type Stage = "conformance" | "limits" | "load";

/** One run as asked for, flags and manifest merged. */
export interface RunOptions {
  readonly stages: readonly Stage[];
  /** null: start the embedded reference service and test that. */
  readonly manifest: Manifest | null;
  /** Switches of the embedded reference service. */
  readonly variants: readonly string[];
  readonly mutants: readonly string[];
  readonly suites: readonly SuiteId[];
  readonly cases: readonly string[];
  /** Load profiles by name or file; empty: the default one. */
  readonly profiles: readonly string[];
  readonly exam: "short" | "full";
  readonly outDir: string;
  readonly seed: number;
  readonly strict: boolean;
  /** `NAME` or `NAME=PATH`, beside the four files that are always written. */
  readonly reporters: readonly ReporterChoice[];
  /** As typed, for the record. */
  readonly command: readonly string[];
  readonly signal: AbortSignal;
  /** Which signal ended the run, null while none did. */
  readonly interruptedBy: () => "SIGINT" | "SIGTERM" | null;
  readonly onProgress: OnProgress;
}

export interface ReporterChoice {
  readonly name: string;
  readonly path: string | null;
}
