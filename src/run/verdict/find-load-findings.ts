import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { GateResult, LoadProfileResult, LoadResult } from "../../core/result/load-result.ts";
import { isBinding } from "../../core/result/is-binding.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import type { PassiveSummary, PassiveViolation } from "../../core/result/result.ts";

type Draft = Omit<Finding, "id">;

/** Check of findings on what single answers under load violate. */
export const passiveCheck = "passive-validation";

/** What a run measured under load. */
export interface MeasuredLoad {
  readonly load: LoadResult | null;
  /** What limit checks proved wrong. */
  readonly loadFindings: readonly Draft[];
  /** What single answers violate; null where none was seen. */
  readonly passive: PassiveCounts | null;
}

/** Of a run without load. */
export const noLoad: MeasuredLoad = { load: null, loadFindings: [], passive: null };

/** Gates that were missed, limits that were broken under load, and responses under load that violate the specification. */
export function findLoadFindings(
  { load, loadFindings }: MeasuredLoad,
  passive: PassiveSummary,
  catalogue: readonly Requirement[],
): readonly Finding[] {
  const gates = (load?.profiles ?? []).flatMap((profile) =>
    profile.gates.filter((gate) => gate.verdict === "fail").map((gate) => describeGate(profile, gate)),
  );
  const violations = passive.violations
    .filter((violation) => violation.stage === "load")
    .flatMap((violation) => {
      const requirement = catalogue.find((row) => row.id === violation.requirement);
      return requirement === undefined ? [] : [describeViolation(violation, requirement)];
    });
  return [...gates, ...loadFindings, ...violations].map((finding, index) => ({
    id: `G${String(index + 1).padStart(3, "0")}`,
    ...finding,
  }));
}

function describeGate(profile: LoadProfileResult, gate: GateResult): Draft {
  const interval = gate.low === null || gate.high === null ? "" : ` (95 % interval ${gate.low} to ${gate.high})`;
  return {
    stage: "load",
    requirement: null,
    check: gate.id,
    level: null,
    verdict: "fail",
    message: `load ${profile.id}: the gate ${gate.expression} was missed`,
    spec: null,
    sent: `${profile.arrivals}, ${profile.workload}`,
    expected: gate.expression,
    observed: `${gate.observed ?? "nothing"} ${gate.unit}${interval}`,
    exchanges: [],
    more: 0,
    curl: null,
    baselined: false,
  };
}

function describeViolation(violation: PassiveViolation, requirement: Requirement): Draft {
  const share = violation.outOf > 0 ? ` (${((100 * violation.count) / violation.outOf).toFixed(1)} % of ${violation.outOf})` : "";
  return {
    stage: "load",
    requirement: requirement.id,
    check: passiveCheck,
    level: requirement.level,
    verdict: isBinding(requirement.level) ? "fail" : "advisory",
    message: `under load, ${violation.subject}: ${violation.message}${share}`,
    spec: requirement.section,
    sent: null,
    expected: requirement.text,
    observed: violation.message,
    exchanges: violation.exchanges,
    more: Math.max(0, violation.count - violation.exchanges.length),
    curl: null,
    baselined: false,
  };
}
