import type { Work } from "../admission.ts";
import { rateLimitsOf, type KeyRecord } from "../keys/key-record.ts";
import type { RateOp } from "../limiter/rate-op.ts";
import type { Purchase } from "../spend/spend-rules.ts";
import type { TokenRules } from "../token-rules.ts";

/** A request that asks to be let in. */
export interface Arrival {
  readonly key: KeyRecord;
  readonly work: Work;
  readonly arrivedMs: number;
}

/** As the rate limiter sees it. */
export function rateOpOf({ key, work }: Arrival, tokens: TokenRules): RateOp {
  const { endpoint, rawUrl, fields, streaming } = work;
  return { keyId: key.id, endpoint, rawUrl, fields, streaming, limits: rateLimitsOf(key), holdTokens: tokens.toHold(work) };
}

/** As the spend ledger sees it. */
export function purchaseOf({ work: { endpoint, streaming, maxCostMicros } }: Arrival): Purchase {
  return { endpoint, streaming, maxCostMicros };
}
