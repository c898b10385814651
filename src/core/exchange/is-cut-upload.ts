import type { Exchange } from "./exchange.ts";
import type { LimitPurpose } from "./limit-phase.ts";

/** Whether the second half of its body is held back on purpose. */
export function isHeldUpload({ policy, phase }: LimitPurpose): boolean {
  return policy === "requests" && phase === "B-uploads";
}

/**
 * A request timeout in place of an answer to an upload that was held back. A server may give up a slow body before the service sees the
 * request: the answer need not have the form of one of the service.
 */
export function isCutUpload({ intent, response }: Pick<Exchange, "intent" | "response">): boolean {
  return response?.status === 408 && intent.kind === "limit" && isHeldUpload(intent);
}
