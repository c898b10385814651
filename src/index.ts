/**
 * Public API of assay: what the command line does, for programs. Everything that is exported here is covered by the version;
 * nothing else is.
 */
export { ConfigError } from "./config/config-problem.ts";
export { loadManifest, type LoadedManifest, type LoadManifestOptions } from "./config/load-manifest.ts";
export type { ConformanceResult, RequirementResult, SuiteResult } from "./core/conformance-result.ts";
export type { Exchange } from "./core/exchange.ts";
export type { Finding } from "./core/finding.ts";
export type { LimitsResult } from "./core/limits-result.ts";
export type { LoadProfileResult, LoadResult } from "./core/load-result.ts";
export type { Manifest } from "./core/manifest.ts";
export type { ProgressEvent } from "./core/progress.ts";
export type { Requirement } from "./core/requirement.ts";
export type { Result } from "./core/result.ts";
export { exitCodes, type ExitCode, type Verdict } from "./core/verdict.ts";
export { readEvidence, type Evidence } from "./evidence/evidence-reader.ts";
export { compareResults, type CompareOptions } from "./load/compare-results.ts";
export { loadProfile, type LoadedProfile } from "./load/read-profile.ts";
export {
  startReferenceService,
  type ReferenceService,
  type ReferenceServiceOptions,
} from "./reference/start-reference-service.ts";
export { renderHtml } from "./report/html/render-html.ts";
export { executeRun, type RunOutcome } from "./run/execute-run.ts";
export { judgeRun } from "./run/judge-run.ts";
export { readRun, type SavedRun } from "./run/read-run.ts";
export type { RunOptions, Stage } from "./run/run-options.ts";
export type { RunRecord } from "./run/run-record.ts";
export { readCatalogue } from "./schemas/read-catalogue.ts";
