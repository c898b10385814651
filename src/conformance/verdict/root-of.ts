import type { Exchange } from "../../core/exchange/exchange.ts";

/** Sequence number of the first attempt. */
export function rootOf({ seq, retryOf }: Pick<Exchange, "seq" | "retryOf">): number {
  return retryOf ?? seq;
}
