import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Result } from "../../core/result/result.ts";

/** Turns a result into one or more texts. Pure: writes nothing, reads no clock. */
export interface Reporter {
  /** A `ReporterName`, or a name of its own where a program brings the reporter. */
  readonly name: string;
  /** Says in one line what it writes; `--help` prints it. */
  readonly purpose: string;
  /** File below the run folder when no PATH is given; null: standard output. */
  readonly defaultPath: string | null;
  render(result: Result, evidence: readonly Exchange[]): string | readonly RenderedFile[];
}

export const reporterNames = [
  "html",
  "json",
  "ndjson",
  "junit",
  "ctrf",
  "markdown",
  "github",
  "csv",
  "prometheus",
  "otlp",
  "badge",
  "terminal",
  "agent",
] as const;

export type ReporterName = (typeof reporterNames)[number];

/** `-` stands for standard output, `$GITHUB_STEP_SUMMARY` for the file that this variable names (appended to). */
export interface RenderedFile {
  readonly path: string;
  readonly text: string;
  readonly append?: boolean;
}

/** `--reporter NAME[=PATH]`, parsed; or a reporter that a program brings. */
export interface ReporterRequest {
  readonly name: string;
  readonly path: string | null;
  /** Absent: the one that comes with assay under this name. */
  readonly reporter?: Reporter;
}
