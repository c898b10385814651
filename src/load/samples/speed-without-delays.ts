import type { LoadRecord } from "./load-record.ts";
import type { Overflow } from "./overflow.ts";
import type { LoopDelays } from "./reread-record.ts";

/** Requests of which some wait for the answers to others, in the measured window. */
export interface WaitingLoad {
  readonly records: readonly LoadRecord[];
  readonly overflow: Overflow | null;
  readonly fromMs: number;
  readonly toMs: number;
  /** The most that are in flight or in thought; null: not bounded. */
  readonly concurrency: number | null;
  /** From an answer to the next request; 0 where that has an instant of its own. */
  readonly thinkMs: number;
}

/** More than any machine that was late for a part of its time hides. */
const most = 1e9;

/**
 * The requests that such a load would have made without the delays of this machine, at most, for each that it made. An answer that is read late, a
 * connection that is noticed late and a thought that ends late prolong a turn, each by no more than the delay of its second, and a send
 * that leaves late by that. No place loses more than all delays together: while the loop turns, its requests go on.
 */
export function speedWithoutDelays({ records, overflow, fromMs, toMs, ...load }: WaitingLoad, delays: LoopDelays): number {
  const { concurrency, thinkMs } = load;
  let [spentMs, lostMs] = [0, 0];
  for (const { outcome, attempt, intendedMs, issuedMs, sentMs, endMs, reusedConnection } of records) {
    const insideMs = Math.min(endMs, toMs) - Math.max(issuedMs, fromMs);
    if (outcome === "not-sent" || insideMs <= 0) continue;
    const turnMs = endMs - issuedMs + thinkMs;
    const share = insideMs / (endMs - issuedMs);
    const connectedMs = reusedConnection === false ? delays.at(sentMs) : 0;
    const thoughtMs = thinkMs === 0 ? 0 : delays.at(endMs + thinkMs);
    const heldUpMs = attempt === 1 ? Math.max(0, issuedMs - intendedMs) : 0;
    spentMs += share * turnMs;
    lostMs += share * Math.min(turnMs, delays.at(endMs) + connectedMs + thoughtMs + heldUpMs);
  }
  if (overflow !== null) {
    spentMs += overflow.areaMs + overflow.sent * thinkMs;
    lostMs += 3 * overflow.sent * delays.mostMs + overflow.lateness.sum;
  }
  if (concurrency !== null) lostMs = Math.min(lostMs, concurrency * delays.heldMs(fromMs, toMs));
  return spentMs > lostMs ? Math.min(most, spentMs / (spentMs - lostMs)) : most;
}
