import { shortValue } from "../../core/short-value.ts";
import type { Gate, GateCondition } from "../profile/gate.ts";
import type { WorkloadItem } from "../profile/workload-item.ts";

/**
 * A gate whose conditions name labels of the workload: a model is that of the entries which ask for it. Throws SyntaxError where no
 * entry, or every entry, is left.
 */
export function resolveWhere(gate: Gate, workload: readonly WorkloadItem[]): Gate {
  const { where } = gate;
  if (where === undefined) return gate;
  return { ...gate, where: where.map((condition) => resolve(gate, condition, workload)) };
}

function resolve(gate: Gate, condition: GateCondition, workload: readonly WorkloadItem[]): GateCondition {
  if (condition.member === "prompt" || condition.member === "labels") return condition;
  const { member, isEqual, value } = condition;
  const nameOf = (item: WorkloadItem): string | null => (member === "label" ? item.label : modelOf(item));
  const known = [...new Set(workload.flatMap((item) => nameOf(item) ?? []))];
  if (!known.includes(value)) {
    const list = known.length === 0 ? "none names one" : `known are ${known.map(shortValue).join(", ")}`;
    throw new SyntaxError(
      `gate ${shortValue(gate.expression)}: no entry of the workload has the ${member} ${shortValue(value)}; ${list}`,
    );
  }
  const labels = [...new Set(workload.filter((item) => (nameOf(item) === value) === isEqual).map(({ label }) => label))];
  if (labels.length === 0) throw new SyntaxError(`gate ${shortValue(gate.expression)}: no entry of the workload is left`);
  const mixed = workload.find((item) => labels.includes(item.label) && (nameOf(item) === value) !== isEqual);
  if (mixed !== undefined)
    throw new SyntaxError(
      `gate ${shortValue(gate.expression)}: entries of several models have the label ${shortValue(mixed.label)}: give each a label of its own`,
    );
  return { member: "labels", labels };
}

function modelOf(item: WorkloadItem): string | null {
  return "model" in item && typeof item.model === "string" ? item.model : null;
}
