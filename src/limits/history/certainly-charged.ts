import type { LimitOp } from "./op.ts";

/**
 * The least that a token limit charges for an answer: tokens of the prompt that a cache held are free at many services. `unreported`: what is supposed
 * of an answer that does not report its usage.
 */
export function certainlyCharged({ usedTokens, cachedTokens }: LimitOp, unreported = 0): number {
  return usedTokens === null ? unreported : Math.max(0, usedTokens - (cachedTokens ?? 0));
}
