import { answeredFromMs, type LimitOp } from "../history/op.ts";
import type { BurstRound } from "./burst-rounds.ts";
import type { BurstView } from "./burst-view.ts";
import { heldMs, leastHeldMs } from "./held-ms.ts";

/** How much later than the end of a cooldown a queue may begin to answer, ms: a step of its own and the way there. */
export const releaseMs = 3000;

/** The requests that waited for the end of one cooldown at the same time; instants are milliseconds on the run clock. */
export interface HeldQueue {
  /** Held until the queue let them out, or never answered. */
  readonly members: readonly LimitOp[];
  /** When the first of them was sent that was certainly held. */
  readonly heldFromMs: number;
  /** The first answer to one of them had come by then. */
  readonly firstMs: number;
  /** Before this instant the cooldown cannot have been over. */
  readonly earliestMs: number;
  /** Requests that the queue did not hold and that were sent when it had begun to let out: they may have used the allowance first. */
  readonly later: readonly LimitOp[];
}

/** Phases in which the key has a higher allowance. */
const afterRaise: ReadonlySet<string> = new Set(["window-used", "window-read"]);

/** null: the round shows no requests that were held. */
export function heldQueueOf(round: BurstRound, view: BurstView): HeldQueue | null {
  const wasHeld = (op: LimitOp): boolean => op.outcome === "admitted" && heldMs(op) > view.cooldownMs / 4;
  const isHeld = (op: LimitOp): boolean => op.outcome === "admitted" && leastHeldMs(op) > view.cooldownMs / 4;
  const firstMs = Math.min(Number.POSITIVE_INFINITY, ...round.ops.filter(isHeld).map(({ headersMs }) => headersMs));
  const fromMs = Math.min(Number.POSITIVE_INFINITY, ...round.ops.filter(isHeld).map(answeredFromMs));
  const members = round.ops.filter((op) => op.sentMs < firstMs && (wasHeld(op) || op.status === null));
  if (!members.some(isHeld)) return null;
  const { driftRatio, granularityMs, virtualLagMs, fuzzMs } = view.tolerances;
  const sentFromMs = Math.min(...members.map(({ sentMs }) => sentMs));
  const beganMs = Math.min(round.earliestMs ?? sentFromMs, sentFromMs);
  const coarseMs = Math.max(granularityMs, virtualLagMs) + fuzzMs + 100;
  return {
    members,
    heldFromMs: Math.min(...members.filter((op) => isHeld(op) || op.status === null).map(({ sentMs }) => sentMs)),
    firstMs,
    earliestMs: beganMs + view.cooldownMs * (1 - driftRatio) - coarseMs,
    later: view.ops.filter(
      (op) =>
        !afterRaise.has(op.phase) &&
        op.sentMs >= fromMs &&
        !members.includes(op) &&
        (op.outcome !== "rejected" || heldMs(op) > view.cooldownMs / 4),
    ),
  };
}
