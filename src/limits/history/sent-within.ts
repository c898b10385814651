import type { LimitOp } from "./op.ts";

/** Those that were sent from the one instant on and before the other, ms on the run clock. */
export function sentWithin(ops: readonly LimitOp[], fromMs: number, untilMs: number): readonly LimitOp[] {
  return ops.filter(({ sentMs }) => sentMs >= fromMs && sentMs < untilMs);
}
