import type { LimitOp, QuotaReading } from "./op.ts";

const unread: QuotaReading = { limit: null, remaining: null, resetMs: null, resetFormat: null };

/**
 * A request whose answer came from a cache. A limiter in front of the cache may have counted it, one behind has not, and the answer says nothing of
 * either: it is left as a request that may have been counted.
 */
export function setAside(op: LimitOp): LimitOp {
  const nothing = { usedTokens: null, promptTokens: null, cachedTokens: null, completionTokens: null };
  const answer = { cause: null, retry: null, requests: unread, tokens: unread, headerProblems: [], ...nothing };
  return { ...op, outcome: "maybe", ...answer, cached: true };
}

/**
 * A request that met a service which was away for everybody: its answer is that of no limiter. Nobody knows whether one has counted it, so
 * that it is left as a request without an answer until then.
 */
export function setAwayAside(op: LimitOp): LimitOp {
  return {
    ...op,
    outcome: "maybe",
    status: null,
    cause: null,
    retry: null,
    requests: unread,
    tokens: unread,
    headerProblems: [],
  };
}
