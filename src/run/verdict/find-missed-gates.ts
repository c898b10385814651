import type { Finding } from "../../core/result/finding.ts";
import { findingId } from "../../core/result/finding-id.ts";
import type { GateResult } from "../../core/result/gate-result.ts";
import type { LoadProfileResult, LoadResult } from "../../core/result/load-result.ts";
import { repeatedId } from "../../core/result/repeated-id.ts";
import { splitGate } from "../../load/gates/parse-gate.ts";
import { formatFigure } from "../../report/text/format-number.ts";

/** One finding for each gate that was missed. */
export function findMissedGates(load: LoadResult | null): readonly Finding[] {
  return (load?.profiles ?? []).flatMap((profile) =>
    profile.gates.filter((gate) => gate.verdict === "fail").map((gate) => describeGate(profile, gate)),
  );
}

/** The bound is no part of it, but where its profile has another gate on the figure: a gate that is tightened is missed under the same id. */
export function gateFindingId(
  profile: Pick<LoadProfileResult, "id" | "repeat">,
  { id, expression }: Pick<GateResult, "id" | "expression">,
): string {
  return findingId(id, repeatedId(profile), splitGate(expression)?.operator ?? "");
}

function describeGate(profile: LoadProfileResult, gate: GateResult): Finding {
  const show = (value: number | null): string => (value === null ? "nothing" : formatFigure(value, gate.unit));
  const interval = gate.low === null || gate.high === null ? "" : ` (95 % interval ${show(gate.low)} to ${show(gate.high)})`;
  return {
    id: gateFindingId(profile, gate),
    stage: "load",
    requirement: null,
    also: [],
    check: gate.id,
    level: null,
    verdict: "fail",
    message: `load ${repeatedId(profile)}: the gate ${gate.expression} was missed`,
    spec: null,
    sent: `${profile.arrivals}, ${profile.workload}`,
    expected: gate.expression,
    observed: `${show(gate.observed)}${interval}`,
    forms: [],
    exchanges: [],
    more: 0,
    curl: null,
    baselined: false,
  };
}
