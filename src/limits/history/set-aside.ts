import type { LimitOp, QuotaReading } from "./op.ts";

const unread: QuotaReading = { limit: null, remaining: null, resetMs: null, resetFormat: null };

/** All that the answer of a limiter says: nothing. */
const unheard: Pick<LimitOp, "outcome" | "cause" | "retry" | "requests" | "tokens" | "headerProblems"> = {
  outcome: "maybe",
  cause: null,
  retry: null,
  requests: unread,
  tokens: unread,
  headerProblems: [],
};

/**
 * A request whose answer came from a cache. A limiter in front of the cache may have counted it, one behind has not, and the answer says nothing of
 * either: it is left as a request that may have been counted.
 */
export function setAside(op: LimitOp): LimitOp {
  const unused = { usedTokens: null, promptTokens: null, cachedTokens: null, completionTokens: null };
  return { ...op, ...unheard, ...unused };
}

/**
 * A request that met a service which was away for everybody: its answer is that of no limiter. Nobody knows whether one has counted it, so
 * that it is left as a request without an answer until then.
 */
export function setAwayAside(op: LimitOp): LimitOp {
  return { ...op, ...unheard, status: null };
}
