import type { LimitOp } from "../history/op.ts";

/** From the first send instant to the last answer, as it is said in a message. */
export function describeSpan(ops: readonly LimitOp[]): string {
  const fromMs = ops.reduce((least, op) => Math.min(least, op.sentMs), Number.POSITIVE_INFINITY);
  const toMs = ops.reduce((most, op) => Math.max(most, op.headersMs), 0);
  const ms = toMs - fromMs;
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
