import type { MeterView } from "./rate-op.ts";

/** What the response is, as far as its rate headers depend on it. */
export interface HeaderSubject {
  /** Counter that the request met. */
  readonly counter: string;
  /** Whether the request itself is counted in the view. */
  readonly counted: boolean;
  /** Refused for the request limit. */
  readonly refused: boolean;
}

/** What the rate headers say of a counter; `shown` lies between 0 and the limit. */
export interface HeaderRules {
  readonly remainingRequests: (shown: number, meter: MeterView, subject: HeaderSubject, atMs: number) => number;
  readonly remainingTokens: (shown: number, meter: MeterView) => number;
  readonly reset: (meter: MeterView, atMs: number) => string;
  /** Whether requests are shown as they are when the head is written, not as they were decided. */
  readonly readsLate: () => boolean;
  /** The counters are others from here on. */
  readonly forget: () => void;
}

/** Unix seconds of the reset, rounded up. */
export const lawfulHeaderRules: HeaderRules = {
  remainingRequests: (shown) => shown,
  remainingTokens: (shown) => shown,
  reset: ({ resetAtMs }) => String(Math.ceil(resetAtMs / 1000)),
  readsLate: () => false,
  forget: () => undefined,
};
