import type { CapacityResult, LoadProfileResult, LoadStep } from "../../core/result/load-result.ts";

/** The rate that the capacity comes to, and the good answers at the nearest level that was tried and does not exceed it. */
export function kneeOfCapacity(
  { of, value, reason }: Pick<CapacityResult, "of" | "value" | "reason">,
  steps: readonly LoadStep[],
): LoadProfileResult["knee"] {
  if (value === null) return null;
  const levelOf = (step: LoadStep): number => step.concurrency ?? step.asked ?? step.offered;
  const held = steps.filter((step) => levelOf(step) <= value).toSorted((a, b) => levelOf(b) - levelOf(a))[0];
  return held === undefined ? null : { offered: of === "rate" ? value : held.offered, goodput: held.goodput, reason };
}
