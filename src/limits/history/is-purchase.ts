import type { LimitOp } from "./op.ts";

/** Requests of the exam of caps that are sent for another purpose than to be bought again and again. */
const otherPhases: ReadonlySet<LimitOp["phase"]> = new Set<LimitOp["phase"]>([
  "capped-other",
  "capped-free",
  "cheap-chat",
  "cheap-stream",
  "cheap-embedding",
  "below-sum",
  "above-sum",
  "usage-before",
  "usage-after",
  "usage-raise",
  "usage-race",
  "usage-cheap",
]);

/** Whether a request buys what caps are examined with: in the exam by its phase, under load pictures. */
export function isPurchase({ policy, phase, endpoint }: Pick<LimitOp, "policy" | "phase" | "endpoint">): boolean {
  return policy === "spend" ? !otherPhases.has(phase) : endpoint === "images";
}
