import type { ConformanceResult } from "../../core/result/conformance-result.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";
import type { LoadResult, LoadStep } from "../../core/result/load-result.ts";
import type { Result } from "../../core/result/result.ts";
import { suiteIds } from "../../core/result/requirement.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { passiveCheck } from "./find-load-findings.ts";

export interface Judged {
  readonly findings: readonly Finding[];
  readonly strict: boolean;
  readonly interrupted: "SIGINT" | "SIGTERM" | null;
  /** A fault of assay itself. */
  readonly internalError: string | null;
  /** Why the run as a whole says nothing: target unreachable, key refused ... */
  readonly invalidBecause: readonly string[];
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
  const failing = judged.findings.filter((finding) => isFailing(finding, judged.strict));
  if (failing.length > 0) {
    // What kept the run from being whole explains findings as often as not.
    const reason = [countFindings(failing), ...judged.invalidBecause].join("; ");
    return { verdict: "findings", reason, exitCode: exitCodes.findings };
  }
  // A dead target explains everything that is missing.
  const gaps = judged.invalidBecause.length > 0 ? judged.invalidBecause : findGaps(judged);
  if (gaps.length > 0) return { verdict: "invalid", reason: gaps.join("; "), exitCode: exitCodes.invalid };
  return { verdict: "met", reason: describeMet(judged), exitCode: exitCodes.met };
}

function isFailing(finding: Finding, strict: boolean): boolean {
  return !finding.baselined && (finding.verdict === "fail" || strict);
}

/** What an answer under load violates is no gate: most profiles bound latencies, all are validated in passing. */
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

function countFindings(failing: readonly Finding[]): string {
  const parts = kinds.flatMap((kind) => {
    const count = failing.filter((finding) => kindOf(finding) === kind).length;
    return count > 0 ? [`${count} in ${kind}`] : [];
  });
  return `${failing.length} ${failing.length === 1 ? "finding" : "findings"}: ${parts.join(", ")}`;
}

function findGaps(judged: Judged): readonly string[] {
  const gaps: string[] = [];
  const suites = judged.conformance?.suites ?? [];
  // The overlay has a verdict line of its own and never turns that of the specification.
  const incomplete = suites.filter((suite) => suite.verdict === "incomplete" && suite.id !== "convention");
  if (incomplete.length > 0) {
    gaps.push(`incomplete: not every MUST could be judged in ${incomplete.map((suite) => suite.id).join(", ")}`);
  }
  if (judged.limits?.verdict === "inconclusive" || judged.limits?.verdict === "untested") {
    gaps.push("limits: the evidence does not suffice for a verdict");
  }
  for (const profile of judged.load?.profiles ?? []) {
    if (!profile.validity.valid) {
      // Its gates are inconclusive for the same reasons.
      gaps.push(`load ${profile.id} is not valid: ${profile.validity.reasons.join(", ")}`);
      continue;
    }
    const open = profile.gates.filter((gate) => gate.verdict !== "pass" && gate.verdict !== "fail");
    if (open.length > 0)
      gaps.push(`load ${profile.id}: ${open.map((gate) => `${gate.expression} (${gate.reason ?? "not judged"})`).join(", ")}`);
    if (profile.knee === null && profile.steps.length > 0) gaps.push(`load ${profile.id}: ${describeFruitless(profile.steps)}`);
  }
  const loads = judged.load?.profiles.length ?? 0;
  if (judged.conformance === null && judged.limits === null && loads === 0) {
    gaps.push("nothing was judged");
  }
  return gaps;
}

function describeMet(judged: Judged): string {
  const parts: string[] = [];
  if (judged.conformance !== null) parts.push(describeConformance(judged.conformance.suites));
  if (judged.limits !== null) parts.push(`limits ${judged.limits.verdict === "pass" ? "correct" : judged.limits.verdict}`);
  if (judged.load !== null) parts.push(describeLoad(judged.load.profiles));
  return parts.join(", ");
}

/** Gates that a profile does not have were not met. */
function describeLoad(profiles: LoadResult["profiles"]): string {
  const bare = profiles.filter((profile) => profile.gates.length === 0).map(({ id }) => id);
  if (bare.length === profiles.length) return "load measured, no gates";
  return bare.length === 0 ? "load gates met" : `load gates met (no gates: ${bare.join(", ")})`;
}

/** A search that found no rate has not answered what it was run for. */
function describeFruitless(steps: readonly LoadStep[]): string {
  const tried = steps.map((step) => `${step.asked ?? step.offered}/s ${step.verdict === "fail" ? "missed" : "not judged"}`);
  const reason = steps.find((step) => step.reason !== undefined)?.reason;
  return `no rate was found that holds the service level (${tried.join(", ")}${reason === undefined ? "" : `: ${reason}`})`;
}

/** Never the bare word where a suite was left out or a known failure was forgiven: the line is what gets quoted. */
function describeConformance(suites: ConformanceResult["suites"]): string {
  const failed = suites.filter((suite) => suite.verdict === "non-conformant" && suite.id !== "convention").map(({ id }) => id);
  if (failed.length > 0) return `not conformant in ${failed.join(", ")}, by known failures of the baseline only`;
  const judged = suites.map(({ id }) => id);
  const left = suiteIds.filter((id) => id !== "convention" && !judged.includes(id));
  if (left.length === 0) return "conformant";
  return left.length <= 3 ? `conformant (not judged: ${left.join(", ")})` : `conformant in ${judged.join(", ")}`;
}
