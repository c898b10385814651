import { lawfulRefusalRules, type RefusalFacts, type RefusalFields, type RefusalRules } from "../../engine/refusal-rules.ts";
import type { LimitCause } from "../../engine/refusal.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

type Policy = "cap" | "burst" | "limit";

function policyOf(cause: LimitCause): Policy {
  if (cause === "key-cap" || cause === "account-cap") return "cap";
  return cause === "cooldown" ? "burst" : "limit";
}

const otherShape: Readonly<Record<Policy, string>> = {
  cap: "spend/rate-error-shape",
  burst: "burst/quota-error-shape",
  limit: "limits/quota-error-shape",
};

export function patchRefusalRules(switches: Switchboard): RefusalRules {
  const lawful = lawfulRefusalRules;
  const limitStatus = firstChange(switches, lawful.status, { "limits/status-503": () => 503 });
  const tokenStatus = firstChange(switches, limitStatus, { "tokens/status-400": () => 400, "tokens/status-503": () => 503 });
  const status: Readonly<Record<Policy, (cause: LimitCause) => number>> = {
    cap: firstChange(switches, lawful.status, {
      "spend/payment-required-status": () => 402,
      "spend/status-403": () => 403,
      "spend/status-500": () => 500,
    }),
    burst: firstChange(switches, limitStatus, { "burst/status-403": () => 403, "burst/status-503": () => 503 }),
    limit: (cause) => (cause === "tokens" ? tokenStatus(cause) : limitStatus(cause)),
  };

  const cooldownSeconds = firstChange(switches, lawful.retryAfterSeconds, {
    "burst/retry-after-zero": () => 0,
    "burst/retry-after-milliseconds": ({ waitMs }) => Math.ceil(waitMs),
  });
  const limitSeconds = firstChange(switches, lawful.retryAfterSeconds, {
    "limits/retry-after-floor": ({ waitMs }) => Math.floor(waitMs / 1000),
    "limits/retry-after-zero": () => 0,
    "limits/retry-after-window": () => 60,
    "limits/retry-after-hour-longer": ({ waitMs }) => Math.ceil(waitMs / 1000) + 3600,
    "limits/retry-after-short": ({ waitMs }) => Math.ceil(waitMs / 2000),
    "limits/retry-after-milliseconds": ({ waitMs }) => Math.ceil(waitMs),
    "limits/retry-after-negative": ({ waitMs }) => -Math.ceil(waitMs / 1000),
  });
  const tokenSeconds = firstChange(switches, limitSeconds, {
    "tokens/retry-after-zero": () => 0,
    "tokens/retry-after-short": ({ waitMs }) => Math.ceil(waitMs / 2000),
    "tokens/retry-after-milliseconds": ({ waitMs }) => Math.ceil(waitMs),
    "tokens/retry-after-hour-longer": ({ waitMs }) => Math.ceil(waitMs / 1000) + 3600,
  });

  const retryAfterField = (seconds: number, nowMs: number): string => {
    const shown = switches.on("limits/retry-after-disagrees") ? seconds + 7 : seconds;
    // A date is rounded up to a whole second.
    const date = new Date(Math.ceil((nowMs + shown * 1000) / 1000) * 1000);
    return switches.on("limits/retry-after-date") ? date.toUTCString() : String(shown);
  };

  const rate = ({ body }: RefusalFields, { nowMs }: RefusalFacts): RefusalFields => {
    const { error, "retry-after": seconds } = body as { readonly error: Members; readonly "retry-after": number };
    const none = switches.on("limits/retry-after-missing");
    return {
      headers: none || switches.on("limits/retry-after-body-only") ? {} : { "retry-after": retryAfterField(seconds, nowMs) },
      body: {
        error: switches.on("errors/code-missing-on-429") ? without(error, "code") : error,
        ...(none || switches.on("limits/retry-after-header-only") ? {} : { "retry-after": seconds }),
      },
    };
  };

  const retryAfterMs = firstChange(switches, ({ waitMs }: RefusalFacts) => Math.ceil(waitMs), {
    "spend/retry-after-seconds": ({ waitMs }) => Math.ceil(waitMs / 1000),
    "spend/retry-after-one-minute": () => 60_000,
  });

  const quota = (fields: RefusalFields, facts: RefusalFacts): RefusalFields => {
    const body: Members = { ...fields.body, retry_after_ms: retryAfterMs(facts) };
    const named: Members = switches.on("spend/quota-word-other") ? { ...body, error: "spend_cap_reached" } : body;
    return {
      headers: switches.on("spend/retry-after-header")
        ? { "retry-after": String(Math.ceil(facts.waitMs / 1000)) }
        : fields.headers,
      body: switches.on("spend/cap-type-missing") ? without(named, "cap_type") : named,
    };
  };

  return {
    status: (cause) => status[policyOf(cause)](cause),
    shape: (cause) => {
      const shape = lawful.shape(cause);
      if (!switches.on(otherShape[policyOf(cause)])) return shape;
      return shape === "quota" ? "rate" : "quota";
    },
    retryAfterSeconds: (facts) =>
      facts.cause === "tokens"
        ? tokenSeconds(facts)
        : policyOf(facts.cause) === "limit"
          ? limitSeconds(facts)
          : cooldownSeconds(facts),
    rate,
    quota,
  };
}

type Members = Readonly<Record<string, unknown>>;

function without(members: Members, name: string): Members {
  return Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));
}
