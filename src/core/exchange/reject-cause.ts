import type { ErrorBody } from "./bodies/error-body.ts";
import type { RateLimitHeaders } from "./headers/rate-limit-headers.ts";

/**
 * Which limit a 429 speaks of. `spend`: the quota shape says so. `requests` and `tokens`: exactly that allowance shows
 * nothing left. `burst`: both allowances show something left, so it is neither. `unknown`: the response does not say.
 */
export type RejectCause = "requests" | "tokens" | "burst" | "spend" | "unknown";

/** From the x-ratelimit fields and the error body of one response. */
export function causeByLimits({ requests, tokens }: RateLimitHeaders, body: ErrorBody): RejectCause {
  if (body.shape === "quota" || body.capType !== null) return "spend";
  if (requests.remaining === 0 && tokens.remaining !== 0) return "requests";
  if (tokens.remaining === 0 && requests.remaining !== 0) return "tokens";
  if (requests.remaining === 0 && tokens.remaining === 0) return "unknown";
  if (requests.remaining !== null && tokens.remaining !== null) return "burst";
  return /burst|cooldown/i.test(`${body.code ?? ""} ${body.message ?? ""}`) ? "burst" : "unknown";
}
