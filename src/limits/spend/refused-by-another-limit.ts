import type { LimitOp } from "../history/op.ts";

/** Whether its own content says that a limit of requests or tokens refused it: then it says nothing of a cap. */
export function refusedByAnotherLimit({ outcome, cause }: Pick<LimitOp, "outcome" | "cause">): boolean {
  return outcome === "rejected" && (cause === "requests" || cause === "tokens");
}
