import type { Work } from "../admission.ts";
import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { RateLimits } from "../keys/key-record.ts";
import type { LimiterPolicy, Meter } from "./limiter-policy.ts";

/** The facts of a request that the limiter knows. */
export interface RateOp {
  readonly keyId: string;
  /** null: unknown route. */
  readonly endpoint: EndpointId | null;
  readonly rawUrl: string;
  readonly fields: Work["fields"];
  readonly streaming: boolean;
  readonly limits: RateLimits;
  /** Tokens to hold until the true number is known. */
  readonly holdTokens: number;
}

/** First half of a decision: nothing has been taken yet. */
export interface RateCheck {
  readonly op: RateOp;
  readonly policies: Readonly<Record<Meter, LimiterPolicy>>;
  /** Names of the counters that the request meets. */
  readonly counters: Readonly<Record<Meter, string>>;
  /** Instant of the check on the limiter's clock. */
  readonly atMs: number;
  readonly verdict: RateVerdict;
}

export type RateVerdict =
  | { readonly kind: "fits" }
  | { readonly kind: "exceeds"; readonly meter: Meter; /** null: never. */ readonly admitsAtMs: number | null };

export interface RateHold {
  readonly check: RateCheck;
  readonly takenAtMs: number;
  readonly heldTokens: number;
}

/** Numbers behind the six headers at one instant. */
export interface RateView {
  readonly requests: MeterView;
  readonly tokens: MeterView;
  readonly atMs: number;
}

export interface MeterView {
  readonly limit: number;
  /** Not clamped. */
  readonly remaining: number;
  readonly resetAtMs: number;
  readonly windowMs: number;
}

/** Name of the counter that a request is said to meet. */
export function counterName({ keyId, endpoint }: RateOp): string {
  return `${keyId} ${endpoint ?? "unknown"}`;
}
