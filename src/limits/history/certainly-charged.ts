import type { LimitOp } from "./op.ts";

/** The least that a token limit charges for an answer: tokens of the prompt that a cache held are free at many services. */
export function certainlyCharged({ usedTokens, cachedTokens }: LimitOp): number {
  return Math.max(0, (usedTokens ?? 0) - (cachedTokens ?? 0));
}
