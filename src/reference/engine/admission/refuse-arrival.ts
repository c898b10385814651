import type { Admission } from "../admission.ts";
import type { GateAnswer } from "../burst/burst-gate.ts";
import { rateHeaders } from "../limiter/header-rules.ts";
import { counterName } from "../limiter/rate-op.ts";
import type { AdmissionParts } from "./admission-parts.ts";
import { rateOpOf, type Arrival } from "./arrival.ts";
import type { Refused } from "./ask-limits.ts";
import { noteArrival } from "./note-arrival.ts";
import type { LimitCause, LimitRefusal, RefusalCode } from "../refusal.ts";
import type { RefusalFacts, RefusalFields, RefusalRules } from "../refusal-rules.ts";

export function refuseArrival(parts: AdmissionParts, arrival: Arrival, { cause, waitMs, check }: Refused): Admission {
  const { clock, limiter, gate, seams } = parts;
  const nowMs = clock.wallMs();
  const admitsAtMs = cause === "requests" ? limiter.refuse(check, nowMs) : null;
  if (cause === "cooldown") gate.refuse(arrival.key, arrival.work.endpoint, nowMs);
  const facts = { cause, nowMs, waitMs: admitsAtMs === null ? waitMs : admitsAtMs - check.atMs };
  const refusal = renderLimitRefusal(facts, seams.refusal);
  const subject = { counter: counterName(check.op), counted: false, refused: cause === "requests" };
  const rate = rateHeaders(limiter.view(check, nowMs), subject, seams.headers);
  noteArrival(parts, arrival, "refused", rate, refusal.code);
  return { kind: "refused", refusal, rateHeaders: rate };
}

/** The rate limits are asked too: their headers belong to every answer. */
export function refuseCooling(parts: AdmissionParts, arrival: Arrival, answer: GateAnswer): Admission {
  const { clock, limiter, gate, seams } = parts;
  const nowMs = clock.wallMs();
  const check = limiter.check(rateOpOf(arrival, seams.tokens), nowMs);
  const waitMs = gate.waitMs(arrival.key, answer, nowMs);
  return refuseArrival(parts, arrival, { kind: "refused", cause: "cooldown", waitMs, check });
}

const codes: Readonly<Record<LimitCause, RefusalCode>> = {
  cooldown: "burst_limit_exceeded",
  requests: "rate_limit_exceeded",
  tokens: "token_limit_exceeded",
  "key-cap": "quota_exceeded",
  "account-cap": "quota_exceeded",
};

const messages: Readonly<Record<LimitCause, string>> = {
  cooldown: "The burst allowance of this key is used up and its cooldown is running.",
  requests: "The request limit of this key on this endpoint is used up.",
  tokens: "The token limit of this key on this endpoint is used up.",
  "key-cap": "The monthly spend cap of this key is reached.",
  "account-cap": "The monthly spend cap of the account is reached.",
};

/**
 * Writes a 429. Rate and burst limits use the `error.code` shape with `retry-after` in header and body, caps the quota
 * shape with `retry_after_ms` (spec, Errors and Spend caps, 3; reading AMB-09).
 */
export function renderLimitRefusal(facts: RefusalFacts, rules: RefusalRules): LimitRefusal {
  const { cause } = facts;
  const fields =
    rules.shape(cause) === "quota"
      ? rules.quota(quotaFields(facts), facts)
      : rules.rate(rateFields(cause, rules.retryAfterSeconds(facts)), facts);
  return { status: rules.status(cause), code: codes[cause], message: messages[cause], cause, ...fields };
}

function quotaFields({ cause, waitMs }: RefusalFacts): RefusalFields {
  return {
    headers: {},
    body: {
      error: "quota_exceeded",
      retry_after_ms: Math.ceil(waitMs),
      cap_type: cause === "account-cap" ? "account_spend" : "monthly_spend",
    },
  };
}

function rateFields(cause: LimitCause, seconds: number): RefusalFields {
  return {
    headers: { "retry-after": String(seconds) },
    body: { error: { code: codes[cause], message: messages[cause] }, "retry-after": seconds },
  };
}
