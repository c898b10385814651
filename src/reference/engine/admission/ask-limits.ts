import type { RateCheck } from "../limiter/rate-op.ts";
import type { LimitCause } from "../refusal.ts";
import type { AdmissionParts } from "./admission-parts.ts";
import { purchaseOf, rateOpOf, type Arrival } from "./arrival.ts";

/** The answer of the rate limits and the caps to a request; nothing is taken yet. */
export type Answer = { readonly kind: "fits"; readonly check: RateCheck } | Refused;

export interface Refused {
  readonly kind: "refused";
  readonly cause: LimitCause;
  readonly waitMs: number;
  readonly check: RateCheck;
}

/** Shown where no wait helps: the request alone exceeds the limit. */
const hopelessWaitMs = 60_000;

export function askLimits(parts: AdmissionParts, arrival: Arrival): Answer {
  const answer = askRate(parts, arrival);
  return answer.kind === "refused" ? answer : askCaps(parts, arrival, answer.check);
}

export function askRate({ limiter, clock, seams }: AdmissionParts, arrival: Arrival): Answer {
  const check = limiter.check(rateOpOf(arrival, seams.tokens), clock.wallMs());
  if (check.verdict.kind === "fits") return { kind: "fits", check };
  const { meter, admitsAtMs } = check.verdict;
  return { kind: "refused", cause: meter, waitMs: admitsAtMs === null ? hopelessWaitMs : admitsAtMs - check.atMs, check };
}

export function askCaps({ ledger, keys, clock }: AdmissionParts, arrival: Arrival, check: RateCheck): Answer {
  const { key } = arrival;
  const hit = ledger.check(key, keys.account(key.account), purchaseOf(arrival), clock.wallMs());
  return hit === null ? { kind: "fits", check } : { kind: "refused", cause: hit.cap, waitMs: hit.resetsInMs, check };
}
