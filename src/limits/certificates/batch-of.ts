import type { LimitOp } from "../history/op.ts";
import { between } from "./between.ts";

/** The most that one refill brings back: 12 s of the average rate, or what two requests show between which there was one: lone readings, or refusals. */
export function batchOf(ops: readonly LimitOp[], pair: readonly LimitOp[], limit: number, windowMs: number): number {
  const most = (12_000 * limit) / windowMs;
  const [early, late] = pair;
  if (early === undefined || late === undefined) return most;
  if (early.status === 429 && late.status === 429) {
    const used = between(ops, early, late);
    const came = ops.some((op) => op.outcome === "admitted" && op.sentMs > early.headersMs && op.headersMs < late.sentMs);
    return came ? Math.min(most, used + 1) : most;
  }
  const rose = (late.requests.remaining ?? 0) - (early.requests.remaining ?? Number.POSITIVE_INFINITY);
  const alone = early.outcome === "admitted" && late.outcome === "admitted" && between(ops, early, late) === 0;
  const isFull = !ops.some((op) => op.outcome === "admitted" && (op.requests.remaining ?? 0) > late.requests.remaining! + 2);
  return alone && rose >= 0 && early.headersMs < late.sentMs && !isFull ? Math.min(most, rose + 2) : most;
}
