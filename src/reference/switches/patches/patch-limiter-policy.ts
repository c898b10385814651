import type { FamilyId, LimiterConfig } from "../../engine/limiter/limiter-family.ts";
import type { LimiterPolicy } from "../../engine/limiter/limiter-policy.ts";
import type { LimiterRules } from "../../engine/limiter/limiter-rules.ts";
import type { DefectiveFamilyId } from "../broken/families/defective-families.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

type Families = Readonly<Record<string, FamilyId | DefectiveFamilyId>>;

/** Switches that choose the family of both meters. */
const ofBothMeters: Families = {
  "limits/fixed-first": "fixed-first",
  "limits/fixed-second": "fixed-second",
  "limits/sliding-log": "sliding-log",
  "limits/sliding-log-full-reset": "sliding-log-full",
  "limits/sliding-counter": "sliding-counter",
  "limits/sliding-counter-full-reset": "sliding-counter-full",
  "limits/token-bucket": "token-bucket",
  "limits/token-bucket-next-reset": "token-bucket-next",
  "limits/bucket-starts-empty": "token-bucket-empty",
  "limits/burst-below-limit": "token-bucket",
  "limits/batch-refill": "batch-refill",
  "limits/gcra": "gcra",
  // These do not show in windows of the clock, so they bring a family in which they do.
  "limits/rejections-count": "sliding-log",
  "limits/reset-floor": "fixed-first",
  "limits/reset-nearest": "fixed-first",
};

/** Defects that only make sense in one family, which they bring along, for requests. */
const ofRequests: Families = {
  "limits/bucket-read-modify-write": "token-bucket",
  "limits/log-check-then-add": "sliding-log",
  "limits/two-bucket-instances": "token-bucket",
  "limits/double-burst": "token-bucket",
  "limits/slow-refill": "token-bucket",
  "limits/fast-refill": "token-bucket",
  "limits/never-resets": "fixed-never-resets",
  "limits/ttl-refreshed": "fixed-refreshed",
  "limits/leaking-slots": "fixed-leaking",
  "limits/first-request-free": "fixed-first-free",
  "limits/daily-window-key": "fixed-daily",
  "limits/first-window-larger": "fixed-first-larger",
  "limits/unused-carried-over": "fixed-carried-over",
  "limits/count-before-cleanup": "log-late-cleanup",
  "limits/ignores-previous-window": "sliding-counter",
  ...ofBothMeters,
};

/** How often the enforced limit changes where it flaps. */
const flapMs = 500;

export function patchLimiterPolicy(switches: Switchboard): LimiterRules["policy"] {
  const requestDefects = firstChange(switches, (policy: LimiterPolicy, _nowMs: number) => policy, {
    "limits/over-admit-one": (policy) => ({ ...resized(policy, 1), shownOffset: -1 }),
    "limits/under-admit-one": (policy) => ({ ...resized(policy, -1), shownOffset: 1 }),
    "limits/third-per-instance": (policy) => {
      const third = Math.ceil(policy.config.limit / 3);
      return enforcing(policy, { limit: third, capacity: third });
    },
    "limits/window-too-short": (policy) => lasting(policy, 5 / 6),
    "limits/window-too-long": (policy) => lasting(policy, 5 / 4),
    "limits/double-burst": (policy) => enforcing(policy, { capacity: 2 * policy.config.limit }),
    "limits/slow-refill": (policy) => refilling(policy, Math.ceil(policy.config.limit / 2)),
    "limits/fast-refill": (policy) => refilling(policy, 2 * policy.config.limit),
    "limits/limit-flaps": (policy, nowMs) => {
      if (Math.floor(nowMs / flapMs) % 2 === 0) return policy;
      const half = Math.floor(policy.config.limit / 2);
      return { ...resized(policy, -half), shownLimit: policy.config.limit - half };
    },
    "limits/wrong-plan-limit": (policy) => {
      const half = Math.ceil(policy.config.limit / 2);
      return { ...resized(policy, half), shownLimit: policy.config.limit + half };
    },
  });
  const families = { requests: Object.entries(ofRequests), tokens: Object.entries(ofBothMeters) };
  return (meant, meter, nowMs) => {
    const family = families[meter].find(([id]) => switches.on(id))?.[1] ?? meant.family;
    const capacity = switches.on("limits/burst-below-limit") ? Math.ceil(meant.config.limit / 4) : meant.config.capacity;
    const policy = enforcing({ ...meant, family }, { capacity });
    return meter === "requests" ? requestDefects(policy, nowMs) : policy;
  };
}

function enforcing(policy: LimiterPolicy, config: Partial<LimiterConfig>): LimiterPolicy {
  const enforced = { ...policy.config, ...config };
  return { ...policy, config: enforced, promised: enforced };
}

function resized(policy: LimiterPolicy, by: number): LimiterPolicy {
  return enforcing(policy, { limit: policy.config.limit + by, capacity: policy.config.capacity + by });
}

/** The reset is shown as it would be in a whole window. */
function lasting(policy: LimiterPolicy, share: number): LimiterPolicy {
  const { windowMs } = policy.config;
  const enforcedMs = Math.round(windowMs * share);
  return { ...enforcing(policy, { windowMs: enforcedMs }), resetShiftMs: windowMs - enforcedMs };
}

/** The wait is still computed from the rate that was meant. */
function refilling(policy: LimiterPolicy, rate: number): LimiterPolicy {
  return { ...policy, config: { ...policy.config, limit: rate } };
}
