/**
 * Public API of assay: what the command line does, for programs. Everything that is exported here is covered by the version;
 * nothing else is.
 */
export { AuditFailure } from "./features/vitest/audit-failure.ts";
export type { Audit, AuditOutcome } from "./features/vitest/audit.ts";
export { audits } from "./features/vitest/audits.ts";
export { ConfigError } from "./config/config-error.ts";
export { type AssayConfig, defineConfig } from "./config/define-config.ts";
export { loadManifest, type LoadedManifest, type LoadManifestOptions } from "./config/load-manifest.ts";
export type { Case, CaseRequest, CaseTools } from "./conformance/plan/case.ts";
export type { ExchangeJudge, Judge, JudgeContext, Occurrence, Outcomes, RunJudge } from "./conformance/judging/judge.ts";
export type { ConformanceResult, RequirementResult, SuiteResult } from "./core/result/conformance-result.ts";
export type { Exchange } from "./core/exchange/exchange.ts";
export type { ExchangeFacts } from "./core/exchange/exchange-facts.ts";
export type { Finding } from "./core/result/finding.ts";
export type { LimitsResult } from "./core/result/limits-result.ts";
export type { LoadProfileResult, LoadResult } from "./core/result/load-result.ts";
export type { Manifest } from "./core/manifest.ts";
export type { ProgressEvent } from "./core/progress.ts";
export type { Requirement } from "./core/result/requirement.ts";
export type { Result } from "./core/result/result.ts";
export { exitCodes, type ExitCode, type Verdict } from "./core/result/verdict.ts";
export { readEvidence, type Evidence } from "./evidence/evidence-reader.ts";
export { compareResults, type CompareOptions } from "./features/compare/runs/compare-results.ts";
export { ProfileError } from "./load/profile/profile-error.ts";
export { loadProfile, type LoadedProfile } from "./load/plan/read-profile.ts";
export {
  percentileInterval,
  type PercentileInterval,
  type PercentileIntervalOptions,
} from "./load/statistics/percentile-interval.ts";
export {
  startReferenceService,
  type ReferenceService,
  type ReferenceServiceOptions,
} from "./reference/start-reference-service.ts";
export type { RenderedFile, Reporter } from "./report/reporters/reporter.ts";
export { renderHtml } from "./report/html/render-html.ts";
export { examine, type Examination, type ExamineRequest } from "./run/examine.ts";
export type { RunOutcome } from "./run/execute-run.ts";
export { run } from "./run/run.ts";
export { readRun, type SavedRun } from "./run/record/read-run.ts";
export { rejudgeRun, type RejudgedRun } from "./run/record/rejudge-run.ts";
export type { Stage } from "./run/run-options.ts";
export type { ManifestInCode, RunRequest } from "./run/request/run-request.ts";
export type { RunRecord } from "./run/record/run-record.ts";
export { expectScopeOf, type ExpectedScope } from "./run/scope/expected-scope.ts";
export { readCatalogue } from "./schemas/read-catalogue.ts";
