import type { Switchboard } from "../defects/switch.ts";
import type { LimitCause, LimitRefusal, RefusalCode } from "./refusal.ts";

/** What a 429 says about time, before it is written down. */
export interface RefusalFacts {
  readonly cause: LimitCause;
  readonly nowMs: number;
  /** Milliseconds until the request would be let in; until the end of the billing cycle for caps. */
  readonly waitMs: number;
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
export function renderLimitRefusal(facts: RefusalFacts, switches: Switchboard): LimitRefusal {
  const isCap = facts.cause === "key-cap" || facts.cause === "account-cap";
  const asQuota = isCap
    ? !switches.on("spend/rate-error-shape")
    : switches.on(facts.cause === "cooldown" ? "burst/quota-error-shape" : "limits/quota-error-shape");
  const common = {
    status: statusOf(facts.cause, switches),
    code: codes[facts.cause],
    message: messages[facts.cause],
    cause: facts.cause,
  };
  return asQuota ? { ...common, ...renderQuota(facts, switches) } : { ...common, ...renderRate(facts, switches) };
}

function statusOf(cause: LimitCause, switches: Switchboard): number {
  if (cause === "key-cap" || cause === "account-cap") {
    if (switches.on("spend/payment-required-status")) return 402;
    if (switches.on("spend/status-403")) return 403;
    return switches.on("spend/status-500") ? 500 : 429;
  }
  if (cause === "cooldown" && switches.on("burst/status-403")) return 403;
  if (cause === "cooldown" && switches.on("burst/status-503")) return 503;
  return switches.on("limits/status-503") ? 503 : 429;
}

type Rendered = Pick<LimitRefusal, "headers" | "body">;

function renderQuota({ cause, waitMs }: RefusalFacts, switches: Switchboard): Rendered {
  const retryAfterMs = switches.on("spend/retry-after-seconds")
    ? Math.ceil(waitMs / 1000)
    : switches.on("spend/retry-after-one-minute")
      ? 60_000
      : Math.ceil(waitMs);
  const capType = cause === "account-cap" ? "account_spend" : "monthly_spend";
  return {
    headers: switches.on("spend/retry-after-header") ? { "retry-after": String(Math.ceil(waitMs / 1000)) } : {},
    body: {
      error: switches.on("spend/quota-word-other") ? "spend_cap_reached" : "quota_exceeded",
      retry_after_ms: retryAfterMs,
      ...(switches.on("spend/cap-type-missing") ? {} : { cap_type: capType }),
    },
  };
}

function renderRate({ cause, nowMs, waitMs }: RefusalFacts, switches: Switchboard): Rendered {
  const seconds = cause === "requests" || cause === "tokens" ? rateSeconds(waitMs, switches) : cooldownSeconds(waitMs, switches);
  const inHeader = switches.on("limits/retry-after-disagrees") ? seconds + 7 : seconds;
  const header = switches.on("limits/retry-after-date")
    ? new Date(Math.ceil((nowMs + inHeader * 1000) / 1000) * 1000).toUTCString()
    : String(inHeader);
  const none = switches.on("limits/retry-after-missing");
  return {
    headers: none || switches.on("limits/retry-after-body-only") ? {} : { "retry-after": header },
    body: {
      error: { ...(switches.on("errors/code-missing-on-429") ? {} : { code: codes[cause] }), message: messages[cause] },
      ...(none || switches.on("limits/retry-after-header-only") ? {} : { "retry-after": seconds }),
    },
  };
}

function cooldownSeconds(waitMs: number, switches: Switchboard): number {
  if (switches.on("burst/retry-after-zero")) return 0;
  return switches.on("burst/retry-after-milliseconds") ? Math.ceil(waitMs) : Math.ceil(waitMs / 1000);
}

/** Rounded up: who waits that long is let in. */
function rateSeconds(waitMs: number, switches: Switchboard): number {
  if (switches.on("limits/retry-after-floor")) return Math.floor(waitMs / 1000);
  if (switches.on("limits/retry-after-zero")) return 0;
  if (switches.on("limits/retry-after-window")) return 60;
  if (switches.on("limits/retry-after-short")) return Math.ceil(waitMs / 2000);
  if (switches.on("limits/retry-after-milliseconds")) return Math.ceil(waitMs);
  if (switches.on("limits/retry-after-negative")) return -Math.ceil(waitMs / 1000);
  return Math.ceil(waitMs / 1000);
}
