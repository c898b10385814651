import { countsWithin } from "../../history/counts-within.ts";
import type { LimitOp } from "../../history/op.ts";

/** Most admissions that certainly fell into one span; O(n log n). */
export function mostWithin(admitted: readonly LimitOp[], spanMs: number): number {
  const ended = [...admitted].sort((a, b) => a.headersMs - b.headersMs);
  return countsWithin(ended, spanMs).reduce((most, count) => Math.max(most, count), 0);
}
