import type { Exchange } from "./exchange.ts";

/** Whether anything of the request may have left: one that is given up or refused before that ends at the instant of its begin. */
export function wasSent({ response, failure, timing }: Pick<Exchange, "response" | "failure" | "timing">): boolean {
  if (response !== null || failure === null) return true;
  return !((failure.kind === "aborted" || failure.kind === "budget") && timing.sentMs === timing.endMs);
}
