import type { LimitOp } from "../history/op.ts";
import { leastHeldMs } from "./held-ms.ts";

/** Waits are whole seconds, and the exam changes the cooldown by one; that of a window of a minute is no longer than that. */
const apartMs = 3000;

/**
 * Whether a request met a cooldown that it began itself: refused with its wait, or held in a queue for it. false: something else refused it,
 * such as a limit that names the wait of its own window. null: it was served at once, got no answer, or was refused without a wait.
 */
export function isOfCooldown(op: LimitOp, cooldownMs: number): boolean | null {
  if (op.outcome === "maybe") return null;
  if (op.outcome === "admitted") return leastHeldMs(op) >= cooldownMs - apartMs ? true : null;
  if (op.outcome !== "rejected" || (op.cause !== "burst" && op.cause !== "unknown")) return false;
  return op.retry?.seconds == null ? null : Math.abs(op.retry.seconds * 1000 - cooldownMs) <= apartMs;
}
