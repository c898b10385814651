import type { LimitOp, QuotaReading, RetryHint } from "../../../src/limits/history/op.ts";

const unread: QuotaReading = { limit: null, remaining: null, resetMs: null, resetFormat: null };

export interface OpDraft extends Partial<Omit<LimitOp, "requests" | "retry" | "seq" | "sentMs" | "headersMs">> {
  readonly remaining?: number | null;
  readonly limit?: number;
  readonly resetMs?: number | null;
  readonly retry?: Partial<RetryHint> | null;
}

/** A request that was admitted, with what the draft says of it. */
export function makeLimitOp(seq: number, sentMs: number, headersMs: number, draft: OpDraft = {}): LimitOp {
  const { remaining = null, limit = null, resetMs = null, retry = null, ...rest } = draft;
  const hints = { header: null, bodySeconds: null, bodyMs: null, headerMs: null, problems: [], seconds: null };
  return {
    seq,
    key: "primary",
    endpoint: "models",
    policy: "requests",
    phase: "D",
    label: `request-${seq}`,
    path: "/v1/models",
    sentMs,
    headersMs,
    endMs: headersMs,
    lateMs: 0,
    status: 200,
    outcome: "admitted",
    cause: null,
    requests: { ...unread, remaining, limit, resetMs },
    tokens: unread,
    headerProblems: [],
    retry: retry === null ? null : { ...hints, ...retry },
    dateMs: null,
    ownOffsetMs: null,
    usedTokens: null,
    promptTokens: null,
    cachedTokens: null,
    completionTokens: null,
    streamed: false,
    maxTokens: null,
    cached: false,
    ...rest,
  };
}
