import type { GroupView } from "./check.ts";
import { isAtomicCounter } from "./models/counter.ts";
import type { LimitOp } from "./op.ts";

/**
 * Whether an order of decisions was found in which a limiter of the family reproduces every status and every remaining.
 * For fixed windows the readings themselves give the order: within each labelled window they must be the positions 1, 2, 3 ...
 * of an order that agrees with real time, and rejections must fit behind the last position. Other families are not searched.
 */
export function findWitness(family: string, view: GroupView, ops: readonly LimitOp[], before: 0 | 1): boolean {
  const { limit } = view;
  if (limit === null || (family !== "fixed-window" && family !== "fixed-from-first")) return false;
  const windows = new Map<number, LimitOp[]>();
  for (const op of ops) {
    if (op.outcome === "maybe" || op.outcome === "other") return false;
    if (op.requests.resetMs === null || op.requests.remaining === null || op.requests.limit !== limit) return false;
    const window = windows.get(op.requests.resetMs);
    if (window) window.push(op);
    else windows.set(op.requests.resetMs, [op]);
  }
  const labels = [...windows.keys()].sort((a, b) => a - b);
  const apart = view.tolerances.windowMs - view.tolerances.granularityMs;
  if (labels.some((label, index) => index > 0 && label - labels[index - 1]! < apart)) return false;
  return [...windows.values()].every((members) => {
    const admitted = members.filter((op) => op.outcome === "admitted");
    const positions = admitted.map((op) => ({
      sentMs: op.sentMs,
      headersMs: op.headersMs,
      used: limit - op.requests.remaining! + before,
    }));
    if (!isAtomicCounter(positions, 0) || admitted.length > limit) return false;
    const rejected = members.filter((op) => op.outcome === "rejected");
    const latestSent = admitted.reduce((most, op) => Math.max(most, op.sentMs), Number.NEGATIVE_INFINITY);
    return rejected.length === 0 || (admitted.length === limit && rejected.every((op) => op.headersMs >= latestSent));
  });
}
