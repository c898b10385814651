import type { LimitOp } from "../history/op.ts";

/** Why there is no rejection to judge: none came, or those that came cannot be attributed to the request limit. */
export function describeUnattributed(rejected: readonly LimitOp[]): string {
  if (rejected.length === 0) return "no request was rejected";
  return `${rejected.length} requests were rejected, none of them certainly by the request limit: they show requests left, or another limit may have refused them`;
}
