import type { ConformanceResult } from "../../core/result/conformance-result.ts";
import type { Finding } from "../../core/result/finding.ts";
import { isExamined } from "../../core/result/is-examined.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";
import type { LoadResult, LoadStep } from "../../core/result/load-result.ts";
import type { Result } from "../../core/result/result.ts";
import { suiteIds } from "../../core/result/requirement.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import type { ScopeGap, ScopeResult } from "../../core/result/scope-result.ts";
import { kindsOutOfScope } from "../scope/limit-scope.ts";
import { passiveCheck } from "./passive-check.ts";

export interface Judged {
  readonly findings: readonly Finding[];
  readonly strict: boolean;
  readonly interrupted: "SIGINT" | "SIGTERM" | null;
  /** A fault of assay itself. */
  readonly internalError: string | null;
  /** Why the run as a whole says nothing: target unreachable, key refused ... */
  readonly invalidBecause: readonly string[];
  /** Requests that the budget held back, in words; null without any. */
  readonly unsent: string | null;
  readonly scope: ScopeResult | null;
  /** The rows that an earlier run judged and this one did not. */
  readonly lost: readonly ScopeGap[];
  readonly conformance: ConformanceResult | null;
  readonly limits: LimitsResult | null;
  readonly load: LoadResult | null;
}

export type Decision = Pick<Result, "verdict" | "reason" | "exitCode">;

/**
 * The one place that turns what was judged into a verdict and an exit code (DESIGN: exit codes). Precedence: a fault of ours
 * outranks all, an interruption outranks findings, findings outrank incompleteness; nothing judged is never a pass.
 */
export function decideVerdict(judged: Judged): Decision {
  if (judged.internalError !== null) {
    return { verdict: "internal-error", reason: `assay itself failed: ${judged.internalError}`, exitCode: exitCodes.internal };
  }
  if (judged.interrupted !== null) {
    const exitCode = judged.interrupted === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
    return { verdict: "interrupted", reason: "interrupted: the report holds what was judged until then", exitCode };
  }
  const failing = judged.findings.filter(({ baselined, verdict }) => !baselined && (verdict === "fail" || judged.strict));
  if (failing.length > 0) {
    // The cause that kept the run from being whole explains findings as often as not.
    const reason = [countFindings(failing), ...judged.invalidBecause].join("; ");
    return { verdict: "failed", reason, exitCode: exitCodes.findings };
  }
  // A dead target explains everything that is missing.
  const { invalidBecause } = judged;
  if (invalidBecause.length > 0) return { verdict: "invalid", reason: invalidBecause.join("; "), exitCode: exitCodes.invalid };
  const [unfit, gaps] = [findFaultsOfMeasurement(judged), findGaps(judged)];
  if (unfit.length > 0) return { verdict: "invalid", reason: [...unfit, ...gaps].join("; "), exitCode: exitCodes.invalid };
  if (gaps.length > 0) return { verdict: "incomplete", reason: gaps.join("; "), exitCode: exitCodes.invalid };
  return { verdict: "passed", reason: describeMet(judged), exitCode: exitCodes.met };
}

/** A violation by an answer under load is no gate: most profiles bound latencies, all are validated in passing. */
function kindOf({ stage, check }: Finding): string {
  const words = {
    conformance: "conformance",
    limits: "limits",
    load: check === passiveCheck ? "answers under load (passive validation)" : "load gates",
    baseline: "baseline",
    harness: "harness",
  } as const;
  return words[stage];
}

const kinds = ["conformance", "limits", "load gates", "answers under load (passive validation)", "baseline", "harness"];

/** In the words of every output: the findings that fail a run are its failures. */
function countFindings(failing: readonly Finding[]): string {
  const parts = kinds.flatMap((kind) => {
    const count = failing.filter((finding) => kindOf(finding) === kind).length;
    return count > 0 ? [{ kind, text: `${count} in ${kind}` }] : [];
  });
  const [only, ...others] = parts;
  const total = `${failing.length} ${failing.length === 1 ? "failure" : "failures"}`;
  return only !== undefined && others.length === 0
    ? `${total} in ${only.kind}`
    : `${total}: ${parts.map(({ text }) => text).join(", ")}`;
}

/** Why the run says nothing at all, or a profile nothing of the target. */
function findFaultsOfMeasurement({ load, conformance, scope, limits }: Judged): readonly string[] {
  const profiles = load?.profiles ?? [];
  const unfit = profiles
    .filter(({ validity }) => !validity.valid)
    .map(({ id, validity }) => `load ${id} is not valid: ${validity.reasons.join(", ")}`);
  const judgedRows = conformance !== null && (scope?.judged ?? 1) > 0;
  const judgedLimits = limits !== null && limits.policies.some(isExamined);
  return judgedRows || judgedLimits || profiles.length > 0 ? unfit : ["nothing was judged"];
}

/** The rows in scope without a verdict, each with its remedy. */
function findGaps({ scope, lost, limits, load, unsent }: Judged): readonly string[] {
  const gaps: string[] = unsent === null ? [] : [unsent];
  if (scope !== null && scope.open.length > 0) {
    const [first] = scope.open;
    gaps.push(`${countOf(scope.open)} in scope inconclusive: ${listIds(scope.open)} (${first?.reason ?? ""})`);
  }
  for (const { entry, requirements } of scope?.unmet ?? []) {
    gaps.push(
      `${entry} is required, and ${countOf(requirements)} ${requirements.length === 1 ? "was" : "were"} not judged: ${listIds(requirements.map((id) => ({ id })))}`,
    );
  }
  if (lost.length > 0) {
    const [first] = lost;
    gaps.push(`this run judges less than the expected scope: ${listIds(lost)} (${first?.reason ?? ""})`);
  }
  const outside = kindsOutOfScope(limits?.notJudged ?? []);
  for (const policy of limits?.policies ?? []) {
    const { id, kind, verdict, summary } = policy;
    if (verdict === "inconclusive" && !outside.has(kind) && isExamined(policy))
      gaps.push(`limits ${id}: the evidence does not suffice: ${summary}`);
  }
  for (const { id, probe } of load?.profiles ?? [])
    if (probe?.verdict === "inconclusive") gaps.push(`load ${id}: the probe with key ${probe.key}: ${probe.reason}`);
  // The gates of a profile that is not valid are inconclusive for the same reasons.
  for (const profile of (load?.profiles ?? []).filter(({ validity }) => validity.valid)) {
    const open = profile.gates.filter((gate) => gate.verdict !== "pass" && gate.verdict !== "fail");
    if (open.length > 0)
      gaps.push(`load ${profile.id}: ${open.map((gate) => `${gate.expression} (${gate.reason ?? gate.verdict})`).join(", ")}`);
    if (profile.knee === null && profile.steps.length > 0) gaps.push(`load ${profile.id}: ${describeFruitless(profile.steps)}`);
  }
  return gaps;
}

const idsListed = 4;

function listIds(rows: readonly { readonly id: string }[]): string {
  return `${rows
    .slice(0, idsListed)
    .map(({ id }) => id)
    .join(", ")}${rows.length > idsListed ? " ..." : ""}`;
}

function countOf(rows: readonly unknown[]): string {
  return `${rows.length} ${rows.length === 1 ? "requirement" : "requirements"}`;
}

function describeMet(judged: Judged): string {
  const parts: string[] = [];
  const { conformance, scope, limits, load } = judged;
  // A run that only drove the limits judges other rows in passing.
  if (conformance !== null && (scope?.judged ?? 1) > 0) parts.push(describeConformance(conformance.suites, scope));
  if (limits !== null && limits.policies.length > 0) parts.push(describeLimits(limits));
  if (load !== null) parts.push(describeLoad(load.profiles));
  return parts.join(", ");
}

function describeLimits({ policies, verdict }: LimitsResult): string {
  const correct = policies.filter((policy) => policy.verdict === "pass").length;
  if (verdict === "inconclusive" || verdict === "untested") return "limits untested";
  // A known failure of the baseline is not correct.
  const word = verdict === "fail" ? "violated, by known failures of the baseline only" : verdict === "pass" ? "correct" : verdict;
  // Policies that other stages merely touched need not decide anything.
  const examined = policies.filter(isExamined).length;
  return `limits ${word} (${correct} of ${examined} ${examined === 1 ? "policy" : "policies"})`;
}

/** Gates that a profile does not have were not met; those of a repeated one stand with its last run. */
function describeLoad(profiles: LoadResult["profiles"]): string {
  const bare = profiles.filter(({ gates, ownGates = gates }) => ownGates.length === 0).map(({ id }) => id);
  if (bare.length === profiles.length) return "load measured, no gates";
  return bare.length === 0 ? "gates met" : `gates met (no gates: ${bare.join(", ")})`;
}

/** A search that found no rate has not answered what it was run for. */
function describeFruitless(steps: readonly LoadStep[]): string {
  const tried = steps.map((step) => `${step.asked ?? step.offered}/s ${step.verdict === "fail" ? "missed" : "inconclusive"}`);
  const reason = steps.find((step) => step.reason !== undefined)?.reason;
  return `no rate was found that holds the service level (${tried.join(", ")}${reason === undefined ? "" : `: ${reason}`})`;
}

/** Never the bare word: the line is what gets quoted, so it says how much was judged, and which failures were forgiven. */
function describeConformance(suites: ConformanceResult["suites"], scope: ScopeResult | null): string {
  const own = suites.filter(({ id }) => id !== "convention" || suites.length === 1);
  const failed = own.filter((suite) => suite.verdict === "non-conformant").map(({ id }) => id);
  if (failed.length > 0) return `not conformant in ${failed.join(", ")}, by known failures of the baseline only`;
  const judged = own.filter(({ verdict }) => verdict === "conformant").map(({ id }) => id);
  const whole = suiteIds.every((id) => id === "convention" || judged.includes(id));
  const where = whole || judged.length === 0 || judged.length > 4 ? "" : ` of ${judged.join(", ")}`;
  return `conformant in scope (${scope === null ? "no count" : countOf(Array.from({ length: scope.judged }))}${where})`;
}
