import { allCases } from "../../../suites/all-cases.ts";
import type { Unmet } from "../../conformance/plan/case-needs.ts";
import { findOutage } from "../../conformance/verdict/find-outage.ts";
import { matchesId } from "../../core/id-pattern.ts";
import { describeScope, isWaiverValid } from "../scope/describe-scope.ts";
import { findLostScope } from "../scope/expected-scope.ts";
import { limitsOutOfScope } from "../scope/limit-scope.ts";
import { allJudges } from "../../conformance/judges/all-judges.ts";
import { describeJudgeFailure, faultsOf, guardJudge, type JudgeFault } from "../../conformance/verdict/judge-fault.ts";
import { judgeConformance, type JudgedConformance } from "../../conformance/verdict/judge-conformance.ts";
import { PassiveValidator } from "../../conformance/verdict/passive-validator.ts";
import { judgeEach, type JudgedExchanges } from "../../conformance/verdict/judge-exchanges.ts";
import type { JudgedOccurrence } from "../../conformance/verdict/judged-occurrence.ts";
import type { JudgeContext } from "../../conformance/judging/judge.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { serverName } from "../../core/exchange/headers/server-name.ts";
import type { Finding } from "../../core/result/finding.ts";
import { isExamined } from "../../core/result/is-examined.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import type { LoadResult } from "../../core/result/load-result.ts";
import type { PassiveSummary, Result } from "../../core/result/result.ts";
import { limitJudge } from "../../limits/verdict/check-occurrences.ts";
import { judgeLimits, type LimitsJudgement } from "../../limits/exam/judge-limits.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import { applyBaseline } from "../verdict/apply-baseline.ts";
import { decideVerdict } from "../verdict/decide-verdict.ts";
import { describeFault } from "../verdict/describe-fault.ts";
import { findLoadFindings, joinLoadFindings, type MeasuredLoad } from "../verdict/find-load-findings.ts";
import { findMissedGates } from "../verdict/find-missed-gates.ts";
import { openJudgeContext } from "../judge-context.ts";
import type { RunRecord } from "./run-record.ts";
import { unjudgedResult } from "./unjudged-result.ts";
import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import { limitChecks } from "../../core/result/checks/limit-checks.ts";
import type { LimitsResult, UnjudgedPart } from "../../core/result/limits-result.ts";

/**
 * The verdict on a run, for every command that judges one. A judge that fails on what a target sent is a finding, and the others go
 * on; any other fault makes the verdict that of a run that assay could not judge, with what needs no judge. Pure over the record, the
 * evidence and what follows from the load ledger, so that `assay report` gives the same bytes as the run did.
 * `known`: what judges said about single exchanges while it ran, which they would say again.
 */
export function judgeRun(
  record: RunRecord,
  evidence: readonly Exchange[],
  measured: MeasuredLoad,
  known?: JudgedExchanges,
): Result {
  try {
    return judgeWhole(record, evidence, measured, known);
  } catch (error) {
    const internalError = record.internalError ?? describeFault(error);
    return { ...unjudgedResult(record), ...decideVerdict({ ...nothingJudged, ...record, internalError }) };
  }
}

const nothingJudged = { findings: [], unsent: null, scope: null, lost: [], conformance: null, limits: null, load: null } as const;

function judgeWhole(record: RunRecord, evidence: readonly Exchange[], measured: MeasuredLoad, known?: JudgedExchanges): Result {
  const catalogue = readCatalogue();
  const context = openJudgeContext(record.manifest);
  const today = record.startedAt.slice(0, 10);
  // Load goes to a process of its own when the embedded service is measured: its counters are not those of the exams.
  const sent = evidence.filter((exchange) => exchange.stage !== "load");
  const outage = findOutage(sent);
  const exchanges = outage === null ? sent : sent.filter(({ seq }) => !outage.seqs.has(seq));
  const judged = judgeEach(exchanges, allJudges, context, known);
  const faults: JudgeFault[] = [];
  const asked = askedChecks(record.rows === null ? null : new Set(record.rows), record.checks ?? []);
  const limits = record.stages.includes("limits")
    ? judgeLimitsOf(record, { exchanges, asked, onFault: (fault) => faults.push(fault) })
    : null;
  const wanted = record.stages.includes("conformance") || limits !== null;
  // The plans of the stages say what the manifest lacks.
  const untested = new Map([...unsentCases(record), ...limitsOutOfScope(record.limitsNotJudged, catalogue), ...record.untested]);
  const conformance = wanted ? judgeConformanceOf(record, { exchanges, judged, context, catalogue, limits, untested }) : null;
  const passive = judgePassively(exchanges, judged, context, measured);
  // The conformance judge lists those of its own.
  if (conformance === null) faults.push(...faultsOf([...judged.values()].flat()));
  for (const { judge, fault, count, seq } of measured.passive?.unjudged ?? [])
    faults.push({ judge: `${judge} under load`, fault, exchanges: [seq], more: count - 1 });
  const found = joinLoadFindings(
    [
      ...(conformance?.findings ?? []),
      ...(limits?.findings ?? []),
      ...faults.map(describeJudgeFailure),
      ...findMissedGates(measured.load),
    ],
    findLoadFindings(measured, passive, catalogue),
  );
  const findings = applyBaseline(found, {
    baseline: record.manifest.baseline,
    catalogue,
    requirements: conformance?.result.requirements ?? [],
    today,
  });
  const settled = conformance !== null && sent.length > 0 ? conformance.result : null;
  const lost = findLostScope(record.expected, { conformance: settled, limits: limits?.result ?? null, load: measured.load });
  const scope =
    settled === null ? null : describeScope({ conformance: settled, manifest: record.manifest, untested, lost, today });
  // A target that never answered ended the run before its first case, and the run has said why.
  const away = outage === null || (outage.isWhole && record.invalidBecause.length > 0) ? [] : [outage.reason];
  // A run of all limits does not ask for judgements in passing: without any limit it judged nothing. Rows of limits that it names are asked for.
  const isNamed = (asked?.size ?? 0) > 0;
  const isAsked = record.stages.includes("conformance") || isNamed || limits?.result.policies.some(isExamined) === true;
  const decision = decideVerdict({
    findings: findings.filter((finding) => countsFor(finding, record, catalogue)),
    strict: record.strict,
    interrupted: record.interrupted,
    internalError: record.internalError,
    invalidBecause: [...record.invalidBecause, ...away, ...faults.map(describeSilence)],
    unsent: describeUnsent(sent),
    scope,
    lost,
    conformance: isAsked ? settled : null,
    limits: limits?.result ?? null,
    load: measured.load,
  });
  const unjudged = unjudgedResult(record);
  const server = evidence.map(serverName).find((name) => name !== null) ?? null;
  return {
    ...unjudged,
    ...decision,
    target: { ...unjudged.target, server: record.server ?? server },
    health: { ...unjudged.health, ...healthOfLoad(measured.load) },
    scope,
    conformance: settled,
    limits: limits?.result ?? null,
    load: measured.load,
    passive,
    findings,
  };
}

/** A run without the conformance stage is not asked for what only its cases send. */
function unsentCases({ stages }: RunRecord): readonly (readonly [requirement: string, unmet: Unmet])[] {
  if (stages.includes("conformance")) return [];
  const unmet: Unmet = { reason: "not-selected", text: "only the conformance stage sends what would show it" };
  return allCases.flatMap(({ covers }) => covers.map((id) => [id, unmet] as const));
}

function judgePassively(
  exchanges: readonly Exchange[],
  judged: JudgedExchanges,
  context: JudgeContext,
  { passive }: MeasuredLoad,
): PassiveSummary {
  const validator = new PassiveValidator({ judges: allJudges, context });
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

/** If the judge of limits fails, nothing is said of them: a history with a gap could accuse a correct limiter. */
function judgeLimitsOf(
  { manifest, strict, limitsNotJudged }: RunRecord,
  {
    exchanges,
    asked,
    onFault,
  }: {
    readonly exchanges: readonly Exchange[];
    readonly asked: ReturnType<typeof askedChecks>;
    readonly onFault: (fault: JudgeFault) => void;
  },
): LimitsJudgement {
  const judge = (some: readonly Exchange[], notJudged: RunRecord["limitsNotJudged"]): LimitsJudgement =>
    judgeLimits({ exchanges: some, manifest, strict, notJudged, asked });
  return guardJudge(
    "limits",
    () => judge(exchanges, limitsNotJudged),
    (fault) => {
      const isCulprit = (one: Exchange): boolean =>
        guardJudge(
          "limits",
          () => judge([one], []) === null,
          () => true,
        );
      onFault({ ...fault, exchanges: exchanges.filter(isCulprit).map(({ seq }) => seq) });
      return judge([], [...limitsNotJudged, { policy: "limits", text: `their judge failed: ${fault.fault}` }]);
    },
  );
}

function describeSilence({ judge, fault, exchanges, more }: JudgeFault): string {
  const count = exchanges.length + more;
  const place = count === 0 ? "this run" : `${count} ${count === 1 ? "answer" : "answers"}, first #${exchanges[0]}`;
  return `the judge ${judge} failed on ${place}: ${fault}`;
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
    hasExams: record.stages.includes("limits"),
    inapplicable: inapplicableRows(limits?.result),
    strict: record.strict,
    occurrences: (limits?.occurrences ?? []).map((occurrence): JudgedOccurrence => ({
      ...occurrence,
      judge: limitJudge,
      conclusive: true,
    })),
  });
}

/** The overlay has a verdict line of its own: its findings turn the run where the manifest requires it or nothing else was asked for. */
function countsFor({ requirement }: Finding, { suites, manifest }: RunRecord, catalogue: readonly Requirement[]): boolean {
  const row = catalogue.find(({ id }) => id === requirement);
  if (row?.suite !== "convention") return true;
  // A run of load alone asks for no suite.
  const isAlone = suites.length > 0 && suites.every((one) => one === "convention");
  return isAlone || manifest.require.some((entry) => entry === "convention" || matchesId(entry, row.id));
}

/** The limit checks that a run asked about: those that it named, else those that decide a row which it named; null: all. */
function askedChecks(rows: ReadonlySet<string> | null, named: readonly string[]): ReadonlySet<LimitCheckId> | null {
  if (rows === null) return null;
  const byName = new Set(named);
  const ofNamed = new Set(limitChecks.filter(({ id }) => byName.has(id)).flatMap(({ requirements }) => requirements));
  // A check that was named answers for the rows that it decides.
  const asked = limitChecks.filter(
    ({ id, requirements }) => byName.has(id) || requirements.some((row) => rows.has(row) && !ofNamed.has(row)),
  );
  return new Set(asked.map(({ id }) => id));
}

/** Rows of parts that a lawful target need not let an exam ask: a larger allowance may be beyond the plan of its key. */
const rowsOfParts: Readonly<Partial<Record<UnjudgedPart, readonly string[]>>> = {
  "raised limit and changes within a window, burst": ["BURST-025", "BURST-026"],
};

/** Rows of limit checks that do not apply to the target, and why. An answer that decides such a row is stronger. */
export function inapplicableRows(limits: Pick<LimitsResult, "policies" | "notJudged"> | undefined): ReadonlyMap<string, string> {
  const parts = limits?.notJudged ?? [];
  const checks = (limits?.policies ?? []).flatMap((one) => one.checks).filter(({ verdict }) => verdict === "not-applicable");
  return new Map([
    ...parts.flatMap(({ policy, reason }) => (rowsOfParts[policy] ?? []).map((row) => [row, reason] as const)),
    ...checks.flatMap(({ requirements, message }) => requirements.map((row) => [row, message] as const)),
  ]);
}
