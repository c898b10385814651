import type { RateLimits } from "../keys/key-record.ts";
import type { LimiterConfig } from "./limiter-family.ts";

export type Meter = "requests" | "tokens";

/** The limit that is enforced and the limit that is shown; the two differ in defective services. */
export interface LimiterPolicy {
  /** Name of the way to count. */
  readonly family: string;
  readonly config: LimiterConfig;
  /** The limit that reset and Retry-After are computed from. */
  readonly promised: LimiterConfig;
  readonly shownLimit: number;
  /** Added to the available units before they are shown. */
  readonly shownOffset: number;
  /** Added to the reset instant before it is shown. */
  readonly resetShiftMs: number;
}

/** Windows of the clock; what is shown is what is enforced. */
export function limiterPolicy(limits: RateLimits, meter: Meter): LimiterPolicy {
  const limit = meter === "requests" ? limits.requestsPerWindow : limits.tokensPerWindow;
  const config: LimiterConfig = { limit, windowMs: limits.windowMs, capacity: limit };
  return { family: "fixed-clock", config, promised: config, shownLimit: limit, shownOffset: 0, resetShiftMs: 0 };
}
