import { isInPhase, type LimitOp } from "./op.ts";

/** Whether an exam of the request limit sent it; a single look at the limit of another key drives nothing. */
export function isOfExam(op: LimitOp): boolean {
  return op.policy === "requests" && !isInPhase(op, "requests", "plan");
}
