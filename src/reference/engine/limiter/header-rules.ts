import type { MeterView, RateView } from "./rate-op.ts";
import type { RateHeaders } from "../admission.ts";

/** The facts of the response that its rate headers depend on. */
export interface HeaderSubject {
  /** Counter that the request met. */
  readonly counter: string;
  /** Whether the request itself is counted in the view. */
  readonly counted: boolean;
  /** Refused for the request limit. */
  readonly refused: boolean;
}

/** The rate headers for a counter; `shown` lies between 0 and the limit. */
export interface HeaderRules {
  readonly remainingRequests: (shown: number, meter: MeterView, subject: HeaderSubject, atMs: number) => number;
  readonly remainingTokens: (shown: number, meter: MeterView) => number;
  readonly reset: (meter: MeterView, atMs: number) => string;
  /** Fields beside the six of the specification. */
  readonly furtherFields: (view: RateView, stated: RateHeaders) => RateHeaders;
  /** Whether requests are shown as they are when the head is written, not as they were decided. */
  readonly readsLate: () => boolean;
  /** Called when all counters are replaced: what was kept of them is void. */
  readonly forget: () => void;
}

/** Unix seconds of the reset, rounded up. */
export const lawfulHeaderRules: HeaderRules = {
  remainingRequests: (shown) => shown,
  remainingTokens: (shown) => shown,
  reset: ({ resetAtMs }) => String(Math.ceil(resetAtMs / 1000)),
  furtherFields: () => ({}),
  readsLate: () => false,
  forget: () => undefined,
};

/** Turns counters into the six fields of the specification (Rate limits), every value a decimal integer. */
export function rateHeaders(view: RateView, subject: HeaderSubject, rules: HeaderRules): RateHeaders {
  const { requests, tokens, atMs } = view;
  const stated: RateHeaders = {
    "x-ratelimit-limit-requests": String(requests.limit),
    "x-ratelimit-remaining-requests": String(rules.remainingRequests(shown(requests), requests, subject, atMs)),
    "x-ratelimit-reset-requests": rules.reset(requests, atMs),
    "x-ratelimit-limit-tokens": String(tokens.limit),
    "x-ratelimit-remaining-tokens": String(rules.remainingTokens(shown(tokens), tokens)),
    "x-ratelimit-reset-tokens": rules.reset(tokens, atMs),
  };
  return { ...stated, ...rules.furtherFields(view, stated) };
}

function shown({ remaining, limit }: MeterView): number {
  return Math.min(Math.max(remaining, 0), limit);
}
