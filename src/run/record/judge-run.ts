import { allCases } from "../../../suites/all-cases.ts";
import type { Unmet } from "../../conformance/plan/case-needs.ts";
import { findOutage } from "../../conformance/verdict/find-outage.ts";
import { matchesId } from "../../core/id-pattern.ts";
import { describeScope, isWaiverValid } from "../scope/describe-scope.ts";
import { findLostScope } from "../scope/expected-scope.ts";
import { limitsOutOfScope } from "../scope/limit-scope.ts";
import { allJudges } from "../../conformance/judges/all-judges.ts";
import { judgeConformance, type JudgedConformance } from "../../conformance/verdict/judge-conformance.ts";
import { createPassiveValidator } from "../../conformance/verdict/passive-validator.ts";
import { judgeEach, type JudgedExchanges, type JudgedOccurrence } from "../../conformance/verdict/judge-exchanges.ts";
import type { JudgeContext } from "../../conformance/judging/judge.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { Requirement, SuiteId } from "../../core/result/requirement.ts";
import type { LoadResult } from "../../core/result/load-result.ts";
import type { PassiveSummary, Result } from "../../core/result/result.ts";
import { judgeLimits, type LimitsJudgement } from "../../limits/exam/judge-limits.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import { decideVerdict } from "../verdict/decide-verdict.ts";
import { findLoadFindings, type MeasuredLoad } from "../verdict/find-load-findings.ts";
import { openJudgeContext } from "./judge-context.ts";
import { limitJudge, mergeLimitFindings } from "../verdict/merge-limit-findings.ts";
import type { RunRecord } from "./run-record.ts";
import { unjudgedResult } from "../verdict/unjudged-result.ts";

/**
 * The verdict on a run. Pure over the record, the evidence and what follows from the load ledger, so that `assay report` gives the same bytes as the run did.
 * `known`: what judges said about single exchanges while it ran, which they would say again.
 * Throws a HarnessFault when a judge contradicts the catalogue.
 */
export function judgeRun(
  record: RunRecord,
  evidence: readonly Exchange[],
  measured: MeasuredLoad,
  known?: JudgedExchanges,
): Result {
  const catalogue = readCatalogue();
  const context = openJudgeContext(record.manifest);
  // Load goes to a process of its own when the embedded service is measured: its counters are not those of the exams.
  const sent = evidence.filter((exchange) => exchange.stage !== "load");
  const outage = findOutage(sent);
  const exchanges = outage === null ? sent : sent.filter(({ seq }) => !outage.seqs.has(seq));
  const judged = judgeEach(exchanges, allJudges, context, known);
  const limits = record.stages.includes("limits") ? judgeLimitsOf(record, exchanges) : null;
  const wanted = record.stages.includes("conformance") || limits !== null;
  // The plans of the stages say what the manifest lacks.
  const untested = new Map([...limitsOutOfScope(record.limitsNotJudged, catalogue), ...record.untested]);
  const conformance = wanted
    ? mergeLimitFindings(
        judgeConformanceOf(record, { exchanges, judged, context, catalogue, limits, untested }),
        limits?.result ?? null,
      )
    : null;
  const passive = judgePassively(exchanges, judged, context, measured);
  const findings = [
    ...(conformance?.findings ?? []),
    ...markBaselined(limits?.findings ?? [], record),
    ...markBaselined(findLoadFindings(measured, passive, catalogue), record),
  ];
  const settled = conformance !== null && sent.length > 0 ? conformance.result : null;
  const today = record.startedAt.slice(0, 10);
  const lost = findLostScope(record.expected, { conformance: settled, limits: limits?.result ?? null, load: measured.load });
  const scope =
    settled === null ? null : describeScope({ conformance: settled, manifest: record.manifest, untested, lost, today });
  // A target that never answered ended the run before its first case, and the run has said why.
  const away = outage === null || (outage.isWhole && record.invalidBecause.length > 0) ? [] : [outage.reason];
  // What is judged in passing is not what a run of the limits was asked for: without any limit it judged nothing.
  const isAsked = record.stages.includes("conformance") || (limits?.result.policies.length ?? 0) > 0;
  const decision = decideVerdict({
    findings: findings.filter((finding) => countsFor(finding, record.suites, catalogue)),
    strict: record.strict,
    interrupted: record.interrupted,
    internalError: record.internalError,
    invalidBecause: [...record.invalidBecause, ...away],
    unsent: describeUnsent(sent),
    scope,
    lost,
    conformance: isAsked ? settled : null,
    limits: limits?.result ?? null,
    load: measured.load,
  });
  const unjudged = unjudgedResult(record);
  return {
    ...unjudged,
    ...decision,
    health: { ...unjudged.health, ...healthOfLoad(measured.load) },
    scope,
    conformance: settled,
    limits: limits?.result ?? null,
    load: measured.load,
    passive,
    findings,
  };
}

/** Every response of every stage: those under load by the counts of the run, all others by what is kept of them. */
function judgePassively(
  exchanges: readonly Exchange[],
  judged: JudgedExchanges,
  context: JudgeContext,
  { passive }: MeasuredLoad,
): PassiveSummary {
  const validator = createPassiveValidator({ judges: allJudges, context });
  for (const exchange of exchanges) validator.observe(exchange, judged.get(exchange.seq));
  if (passive !== null) validator.absorb(passive);
  return validator.summary();
}

function healthOfLoad(load: LoadResult | null): Pick<Result["health"], "valid" | "reasons"> {
  const invalid = (load?.profiles ?? []).filter((profile) => !profile.validity.valid);
  return {
    valid: invalid.length === 0,
    reasons: invalid.map((profile) => `${profile.id}: ${profile.validity.reasons.join(", ")}`),
  };
}

function judgeLimitsOf({ manifest, strict, limitsNotJudged }: RunRecord, exchanges: readonly Exchange[]): LimitsJudgement {
  return judgeLimits({ exchanges, manifest, strict, notJudged: limitsNotJudged });
}

interface ReadRun {
  readonly exchanges: readonly Exchange[];
  readonly judged: JudgedExchanges;
  readonly context: JudgeContext;
  readonly catalogue: readonly Requirement[];
  readonly limits: LimitsJudgement | null;
  readonly untested: ReadonlyMap<string, Unmet>;
}

/** Requests that the budget held back: what they would have shown is missing for that reason; null without any. */
function describeUnsent(exchanges: readonly Exchange[]): string | null {
  const held = exchanges.filter(({ failure }) => failure?.kind === "budget");
  const [first] = held;
  if (first === undefined) return null;
  return `the budget held back ${held.length} ${held.length === 1 ? "request" : "requests"} (${first.failure?.message ?? ""}); raise it in the manifest`;
}

function judgeConformanceOf(
  record: RunRecord,
  { exchanges, judged, context, catalogue, limits, untested }: ReadRun,
): JudgedConformance {
  const today = record.startedAt.slice(0, 10);
  return judgeConformance({
    exchanges,
    catalogue,
    judges: allJudges,
    context,
    judged,
    suites: record.suites,
    rows: record.rows === null ? null : new Set(record.rows),
    untested,
    cases: record.stages.includes("conformance") ? allCases : [],
    waivers: record.manifest.waive
      .filter((entry) => isWaiverValid(entry, today))
      .map(({ id, reason }) => ({ reason, matches: (row) => matchesId(id, row) })),
    strict: record.strict,
    baseline: record.manifest.baseline,
    today,
    occurrences: (limits?.occurrences ?? []).map((occurrence): JudgedOccurrence => ({
      ...occurrence,
      judge: limitJudge,
      conclusive: true,
    })),
  });
}

/** Requirements are matched by the conformance judge; here it is ids of limit checks and gates. */
function markBaselined(findings: readonly Finding[], { manifest, startedAt }: RunRecord): readonly Finding[] {
  const today = startedAt.slice(0, 10);
  const isKnown = (finding: Finding): boolean =>
    manifest.baseline.some(
      (entry) => [finding.check, finding.requirement].includes(entry.id) && (entry.expires === null || entry.expires >= today),
    );
  return findings.map((finding) => (isKnown(finding) ? { ...finding, baselined: true } : finding));
}

/** The overlay has a verdict line of its own: its findings turn the run only when nothing else was asked for. */
function countsFor({ requirement }: Finding, suites: readonly SuiteId[], catalogue: readonly Requirement[]): boolean {
  const suite = catalogue.find((row) => row.id === requirement)?.suite;
  return suite !== "convention" || suites.every((one) => one === "convention");
}
