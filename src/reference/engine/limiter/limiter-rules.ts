import { createFamilyCounter } from "./create-family-counter.ts";
import type { Counter, LimiterConfig } from "./limiter-family.ts";
import type { LimiterPolicy, Meter } from "./limiter-policy.ts";
import type { MeterView, RateCheck, RateOp } from "./rate-op.ts";

/** The counter of requests that a request met. */
export interface RequestCounter {
  readonly name: string;
  readonly counter: Counter;
  readonly policy: LimiterPolicy;
}

/** The rules of the limiter: which requests it counts, by which clock, and how it decides by the counts. */
export interface LimiterRules {
  /** Whole milliseconds of the limiter's clock. */
  readonly clockMs: (nowMs: number) => number;
  readonly policy: (meant: LimiterPolicy, meter: Meter, nowMs: number) => LimiterPolicy;
  /** A new counter of the family that a policy names. */
  readonly counter: (family: string, config: LimiterConfig, nowMs: number) => Counter;
  /** Names of the counters that a request meets; `arrives`: it asks to be let in. */
  readonly counters: (op: RateOp, arrives: boolean) => Readonly<Record<Meter, string>>;
  /** Whether a limit that is used up refuses. */
  readonly enforces: (meter: Meter) => boolean;
  /** Tokens that must be left for a request that may use `tokens`. */
  readonly tokensToCheck: (tokens: number) => number;
  readonly tokensToHold: (tokens: number) => number;
  /** The decision on a request, before it is known to others. */
  readonly decided: (check: RateCheck, requests: RequestCounter) => RateCheck;
  /** The counter of requests is about to be changed by a request that was let in. */
  readonly beforeTake: (op: RateOp, requests: Counter) => void;
  /** Units that a request adds to its counter. */
  readonly weight: (op: RateOp) => number;
  /** Instant from which a request is let in that the request limit refused. */
  readonly refused: (admitsAtMs: number | null, op: RateOp, requests: RequestCounter, nowMs: number) => number | null;
  /** Whether requests count that were answered before they came to the limiter (4xx). */
  readonly countsUnadmitted: () => boolean;
  /** The view of a counter that answers show. */
  readonly view: (view: MeterView, meter: Meter, counter: Counter, config: LimiterConfig) => MeterView;
  /** Called when all counters are replaced: what was kept of them is void. */
  readonly forget: () => void;
}

/** Requests and tokens by key and endpoint; only what is let in counts. */
export const lawfulLimiterRules: LimiterRules = {
  clockMs: (nowMs) => Math.floor(nowMs),
  policy: (meant) => meant,
  counter: createFamilyCounter,
  counters: ({ keyId, endpoint }) => {
    const subject = `${keyId} ${endpoint ?? "unknown"}`;
    return { requests: `requests ${subject}`, tokens: `tokens ${subject}` };
  },
  enforces: () => true,
  tokensToCheck: (tokens) => tokens,
  tokensToHold: (tokens) => tokens,
  decided: (check) => check,
  beforeTake: () => undefined,
  weight: () => 1,
  refused: (admitsAtMs) => admitsAtMs,
  countsUnadmitted: () => false,
  view: (view) => view,
  forget: () => undefined,
};
