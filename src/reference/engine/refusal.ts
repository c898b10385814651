/**
 * Why the service refuses. Checks are made in this order and the first that applies answers: 401 (no valid key),
 * 402 (account may not buy), 403 (scope), 404 (id in the path), 422 (request), then 429 in the order of `LimitCause`.
 * 401, 402, 403 and 429 come from the engine; 404 from its settings functions; 422 from the part that reads the request.
 */
export interface Refusal {
  readonly status: number;
  /** Machine-readable code for `error.code`. */
  readonly code: RefusalCode;
  readonly message: string;
}

export type RefusalCode =
  | "missing_api_key"
  | "malformed_authorization"
  | "invalid_api_key"
  | "expired_api_key"
  | "payment_required"
  | "insufficient_scope"
  | "not_found"
  | "rate_limit_exceeded"
  | "token_limit_exceeded"
  | "burst_limit_exceeded"
  | "quota_exceeded";

/** Order in which limits are asked: the first that refuses names the cause. */
export const limitCauses = ["cooldown", "requests", "tokens", "key-cap", "account-cap"] as const;
export type LimitCause = (typeof limitCauses)[number];

/** A 429, ready to be written: hints and shape are complete, so the surface adds nothing to it. */
export interface LimitRefusal extends Refusal {
  readonly cause: LimitCause;
  /** Complete header fields of the refusal other than the rate headers, `retry-after` for instance. */
  readonly headers: Readonly<Record<string, string>>;
  /** Complete JSON body. */
  readonly body: Readonly<Record<string, unknown>>;
}
