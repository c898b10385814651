import type { HeaderList } from "./header-list.ts";
import { readErrorBody } from "./error-body.ts";
import { readRateLimitHeaders, type RateLimitHeaders } from "./rate-limit-headers.ts";

/**
 * Which limit a 429 speaks of. `spend`: the quota shape says so. `requests` and `tokens`: exactly that allowance shows
 * nothing left. `burst`: both allowances show something left, so it is neither. `unknown`: the response does not tell.
 */
export type RejectCause = "requests" | "tokens" | "burst" | "spend" | "unknown";

/** `value` is the parsed JSON body or undefined, `receivedUnixMs` the local wall clock at the response head. */
export function rejectCause(headers: HeaderList, value: unknown, receivedUnixMs: number): RejectCause {
  return causeByLimits(readRateLimitHeaders(headers, receivedUnixMs), value);
}

/** The same from fields that were read before. */
export function causeByLimits({ requests, tokens }: RateLimitHeaders, value: unknown): RejectCause {
  const body = readErrorBody(value);
  if (body.shape === "quota" || body.capType !== null) return "spend";
  if (requests.remaining === 0 && tokens.remaining !== 0) return "requests";
  if (tokens.remaining === 0 && requests.remaining !== 0) return "tokens";
  if (requests.remaining === 0 && tokens.remaining === 0) return "unknown";
  if (requests.remaining !== null && tokens.remaining !== null) return "burst";
  return /burst|cooldown/i.test(`${body.code ?? ""} ${body.message ?? ""}`) ? "burst" : "unknown";
}
