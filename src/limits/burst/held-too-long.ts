import { answeredFromMs, type LimitOp } from "../history/op.ts";
import type { BurstView } from "./burst-view.ts";
import { heldMs } from "./held-ms.ts";
import { releaseMs } from "./held-queue.ts";

export interface HeldTooLong {
  readonly op: LimitOp;
  /** The last attempt that may have begun the cooldown anew before it was over. */
  readonly lastAttemptMs: number;
  readonly dueMs: number;
}

/**
 * A request that came when the cooldown had begun and was held for longer than it lasts. Attempts may begin a cooldown anew, so
 * that it counts from the last one that came before its end; and of all that one queue held only the first that it let out is looked
 * at, since a queue may let them out one by one.
 */
export function findHeldTooLong(view: BurstView): { readonly considered: number; readonly wrong: HeldTooLong | null } {
  const { tolerances, cooldownMs } = view;
  const longestMs = Math.max(cooldownMs, tolerances.windowMs) * 1.05 + tolerances.granularityMs + releaseMs;
  const attempts = view.ops.map(({ sentMs }) => sentMs).toSorted((a, b) => a - b);
  let considered = 0;
  let wrong: HeldTooLong | null = null;
  for (const round of view.rounds) {
    const held = round.admitted.filter((op) => heldMs(op) > cooldownMs / 4);
    // Answers that were read late in one turn may have come in any order.
    const first = held.toSorted((a, b) => answeredFromMs(a) - answeredFromMs(b))[0];
    if (first === undefined) continue;
    considered += 1;
    let lastAttemptMs = first.sentMs;
    for (const sentMs of attempts) if (sentMs > lastAttemptMs && sentMs < lastAttemptMs + longestMs) lastAttemptMs = sentMs;
    // Requests that do not fit into the allowance after the cooldown wait for the next one.
    const dueMs = lastAttemptMs + longestMs * Math.max(1, Math.ceil(held.length / view.burst));
    if (wrong === null && answeredFromMs(first) > dueMs && !view.isStall(first, dueMs))
      wrong = { op: first, lastAttemptMs, dueMs };
  }
  return { considered, wrong };
}
