import type { CapacityResult, LoadProfileResult, LoadStep } from "../../core/result/load-result.ts";

/** The highest rate of a search that met the service level; null when none did. */
export function findKnee(steps: readonly LoadStep[]): LoadProfileResult["knee"] {
  const held = steps.filter((step) => step.verdict === "pass").toSorted((a, b) => askedOf(b) - askedOf(a))[0];
  if (held === undefined) return null;
  const above = steps.filter((step) => askedOf(step) > askedOf(held)).toSorted((a, b) => askedOf(a) - askedOf(b));
  const missed = above.find((step) => step.verdict === "fail");
  const open = above.find((step) => step.verdict === "inconclusive");
  const met = `${writeLevel(held)} met the service level${describeOffered(held)}`;
  if (missed !== undefined) return { ...kneeAt(held), reason: `${met}, ${writeLevel(missed)} did not` };
  if (open === undefined) {
    const reason = `the highest ${held.concurrency === undefined ? "rate" : "number"} tried, ${writeLevel(held)}, still met the service level${describeOffered(held)}`;
    return { ...kneeAt(held), reason };
  }
  const why =
    open.limitedBy === "samples" || open.limitedBy === "instrument"
      ? `is inconclusive: ${open.reason ?? ""}`
      : "is more than this machine could send";
  return { ...kneeAt(held), reason: `${met}; ${writeLevel(open)} ${why}` };
}

/** The rate that the capacity comes to, and the good answers at the nearest level that was tried and does not exceed it. */
export function kneeOfCapacity(
  { of, value, reason }: Pick<CapacityResult, "of" | "value" | "reason">,
  steps: readonly LoadStep[],
): LoadProfileResult["knee"] {
  if (value === null) return null;
  const held = steps.filter((step) => askedOf(step) <= value).toSorted((a, b) => askedOf(b) - askedOf(a))[0];
  return held === undefined ? null : { offered: of === "rate" ? value : held.offered, goodput: held.goodput, reason };
}

function kneeAt({ offered, goodput }: LoadStep): { readonly offered: number; readonly goodput: number } {
  return { offered, goodput };
}

function askedOf(step: LoadStep): number {
  return step.concurrency ?? step.asked ?? step.offered;
}

/** `40/s`, `8 in flight` */
function writeLevel(step: LoadStep): string {
  return step.concurrency === undefined ? `${askedOf(step)}/s` : `${step.concurrency} in flight`;
}

/** The schedule is drawn: what was offered may be a few percent off. */
function describeOffered({ asked, offered }: LoadStep): string {
  return asked === undefined || Math.abs(offered - asked) < 0.005 * asked ? "" : ` (${offered.toFixed(2)}/s were offered)`;
}
