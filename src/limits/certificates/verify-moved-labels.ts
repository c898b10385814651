import type { LimitCertificate } from "../../core/result/limits-result.ts";
import type { LimitOp } from "../history/op.ts";

/** Requests of one label below which it may be that of a refill, and how long they have to span, ms. */
const fewestOfLabel = 6;
const leastSpanMs = 2000;

/** Twice a label that many requests name was replaced before it had come by another one that many name, less than a window later. */
export function verifyMovedLabels(
  { parameters }: LimitCertificate,
  ops: readonly LimitOp[],
  named: readonly LimitOp[],
  windowMs: number,
): string | null {
  if (named.length < 4 || named.length % 2 === 1) return "one change of a label may be that of a clock";
  const naming = (resetMs: number | null): readonly LimitOp[] =>
    ops.filter((op) => op.outcome === "admitted" && op.requests.resetMs === resetMs);
  const isHeld = (resetMs: number | null): boolean => {
    const all = naming(resetMs);
    const fromMs = Math.min(...all.map(({ sentMs }) => sentMs));
    return all.length >= fewestOfLabel && Math.max(...all.map(({ headersMs }) => headersMs)) - fromMs >= leastSpanMs;
  };
  for (let at = 0; at < named.length; at += 2) {
    const [before, after] = [named[at]!, named[at + 1]!];
    const [endMs, nextMs] = [before.requests.resetMs ?? Number.NaN, after.requests.resetMs ?? Number.NaN];
    const isAhead = after.headersMs + Number(parameters["offsetHighMs"]) + 1000 < endMs;
    const isOneAfterTheOther = before.headersMs < after.sentMs && !naming(endMs).some(({ sentMs }) => sentMs > after.headersMs);
    if (!isAhead || !isOneAfterTheOther || !(nextMs - endMs < windowMs - 1000 && nextMs > endMs))
      return "the label had come, or windows lie as far apart";
    if (!isHeld(endMs) || !isHeld(nextMs)) return "too few requests name the label: it may move with each";
  }
  return null;
}
