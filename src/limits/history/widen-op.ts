import type { LimitOp, QuotaReading } from "./op.ts";

/**
 * The request as seen by a clock that may be wrong by so many milliseconds: the service decided somewhere inside the wider interval.
 * A reset label that is a wait was read by that clock and no other; it stands for no instant any more.
 */
export function widenOp(op: LimitOp, byMs: number): LimitOp {
  if (byMs <= 0) return op;
  return {
    ...op,
    sentMs: op.sentMs - byMs,
    headersMs: op.headersMs + byMs,
    endMs: op.endMs + byMs,
    // No wait becomes longer by it: one clock measured both ends.
    lateMs: (op.lateMs ?? 0) + byMs,
    requests: withoutWait(op.requests),
    tokens: withoutWait(op.tokens),
  };
}

/** Without a label that is a wait from the instant at which it was read. */
export function withoutWait(quota: QuotaReading): QuotaReading {
  const isWait = quota.resetFormat === "delta-seconds" || quota.resetFormat === "duration";
  return isWait ? { ...quota, resetMs: null } : quota;
}
