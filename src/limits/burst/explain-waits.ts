import type { Exchange } from "../../core/exchange/exchange.ts";
import { findStalls, type Witness, witnessOf } from "../../core/exchange/find-stalls.ts";
import type { LimitOp } from "../history/op.ts";
import { heldMs, leastHeldMs } from "./held-ms.ts";

/** So much of a wait at least is the service's own where the instrument was not the one that was late. */
const ownShare = 0.5;

/** The shortest part of a wait that a stall is looked for in, ms: one that began before explains less than it lasted. */
const shortestMs = 1000;

/**
 * Whether that a request waited for its answer shows nothing about it: the instrument read it late, or the whole service stood still.
 * `dueMs`: when the answer was due, so that a stall of the rest of the wait explains it as well; absent: only one of the whole wait does.
 */
export type WaitExplainer = (op: LimitOp, dueMs?: number) => boolean;

/** Whether a request of another key, or of none, was under way in a span of the run clock, so that a stall of the service would have shown. */
export type WatchFinder = (key: string, fromMs: number, toMs: number) => boolean;

/** As the exam of limits sees it: requests of other keys and of none waited as long. */
export function explainWaits(exchanges: readonly Exchange[]): WaitExplainer {
  return explainBy(witnessesAmong(exchanges));
}

export function findWatches(exchanges: readonly Exchange[]): WatchFinder {
  const witnessesBeside = witnessesAmong(exchanges);
  return (key, fromMs, toMs) => witnessesBeside(key).some(({ sentMs, endMs }) => sentMs < toMs && endMs > fromMs);
}

function witnessesAmong(exchanges: readonly Exchange[]): (key: string) => readonly Witness[] {
  const witnesses = exchanges.filter((exchange) => !isHeldByALimit(exchange));
  return (key) => witnesses.filter(({ keyName }) => keyName !== key).map(witnessOf);
}

/** As a load profile sees it: requests of the key itself are all that is seen of the service. */
export function explainWaitsUnderLoad(ops: readonly LimitOp[]): WaitExplainer {
  const witnesses = ops.map(({ seq, sentMs, headersMs, endMs }) => ({ seq, sentMs, headersMs, endMs }));
  return explainBy(() => witnesses);
}

function explainBy(witnessesBeside: (key: string) => readonly Witness[]): WaitExplainer {
  return (op, dueMs = op.sentMs) => {
    const { seq, key, sentMs, headersMs } = op;
    if (!Number.isFinite(headersMs)) return false;
    const isLate = leastHeldMs(op) < ownShare * heldMs(op);
    if (isLate) return true;
    const stalls = findStalls(witnessesBeside(key));
    const overdueMs = Math.max(sentMs, Math.min(dueMs, headersMs - shortestMs));
    return stalls.isStall(seq, sentMs, headersMs) || stalls.isStall(seq, overdueMs, headersMs);
  };
}

/** An allowance that another exam uses up may hold its own requests at the same time: they are no witnesses. */
function isHeldByALimit({ intent }: Exchange): boolean {
  return intent.kind === "limit" && intent.policy === "burst" && intent.phase !== "other-key";
}
