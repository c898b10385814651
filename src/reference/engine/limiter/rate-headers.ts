import type { RateHeaders } from "../admission.ts";
import type { HeaderRules, HeaderSubject } from "./header-rules.ts";
import type { MeterView, RateView } from "./rate-op.ts";

/** Turns counters into the six fields of the specification (Rate limits), every value a decimal integer. */
export function rateHeaders(view: RateView, subject: HeaderSubject, rules: HeaderRules): RateHeaders {
  const { requests, tokens, atMs } = view;
  return {
    "x-ratelimit-limit-requests": String(requests.limit),
    "x-ratelimit-remaining-requests": String(rules.remainingRequests(shown(requests), requests, subject, atMs)),
    "x-ratelimit-reset-requests": rules.reset(requests, atMs),
    "x-ratelimit-limit-tokens": String(tokens.limit),
    "x-ratelimit-remaining-tokens": String(rules.remainingTokens(shown(tokens), tokens)),
    "x-ratelimit-reset-tokens": rules.reset(tokens, atMs),
  };
}

function shown({ remaining, limit }: MeterView): number {
  return Math.min(Math.max(remaining, 0), limit);
}
