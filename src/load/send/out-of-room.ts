import type { Exchange } from "../../core/exchange/exchange.ts";
import type { EarlyEnd } from "../samples/early-end.ts";

/**
 * Why a profile ends when an answer of it had to be given up for want of room; null for all other answers. A bound of ours says
 * nothing of the target. While a profile runs nobody else gives up an answer that has begun.
 */
export function outOfRoom({ failure, response }: Exchange, stopped: AbortSignal): EarlyEnd | null {
  if (failure?.kind !== "aborted" || failure.left === true || response === null || stopped.aborted) return null;
  return {
    kind: "room",
    words: "the generator has no room for more answers under way: fewer requests at a time or shorter answers fit",
  };
}
