import type { Switchboard } from "../../defects/switch.ts";
import type { RateLimits } from "../keys/key-record.ts";
import { fixedDaily } from "./daily-window.ts";
import {
  fixedClock,
  fixedFirst,
  fixedFirstFree,
  fixedLeaking,
  fixedNeverResets,
  fixedRefreshed,
  fixedSecond,
} from "./fixed-window.ts";
import { gcra } from "./gcra.ts";
import { createCounter, type Counter, type FamilyId, type LimiterConfig } from "./limiter-family.ts";
import { slidingCounter, slidingCounterFull } from "./sliding-counter.ts";
import { logLateCleanup, slidingLog, slidingLogFull } from "./sliding-log.ts";
import { batchRefill, tokenBucket, tokenBucketEmpty, tokenBucketNext } from "./token-bucket.ts";

export type Meter = "requests" | "tokens";

/** What is enforced and what is shown; the two differ in defective services. */
export interface LimiterPolicy {
  readonly family: FamilyId;
  readonly config: LimiterConfig;
  /** What reset and Retry-After are computed from. */
  readonly promised: LimiterConfig;
  readonly shownLimit: number;
  /** Added to the available units before they are shown. */
  readonly shownOffset: number;
  /** Added to the reset instant before it is shown. */
  readonly resetShiftMs: number;
}

/** Switches that choose the family of both meters. */
const familyOfSwitch: readonly (readonly [id: string, family: FamilyId])[] = [
  ["limits/fixed-first", "fixed-first"],
  ["limits/fixed-second", "fixed-second"],
  ["limits/sliding-log", "sliding-log"],
  ["limits/sliding-log-full-reset", "sliding-log-full"],
  ["limits/sliding-counter", "sliding-counter"],
  ["limits/sliding-counter-full-reset", "sliding-counter-full"],
  ["limits/token-bucket", "token-bucket"],
  ["limits/token-bucket-next-reset", "token-bucket-next"],
  ["limits/bucket-starts-empty", "token-bucket-empty"],
  ["limits/burst-below-limit", "token-bucket"],
  ["limits/batch-refill", "batch-refill"],
  ["limits/gcra", "gcra"],
  // These do not show in windows of the clock, so they bring a family in which they do.
  ["limits/rejections-count", "sliding-log"],
  ["limits/reset-floor", "fixed-first"],
  ["limits/reset-nearest", "fixed-first"],
];

/** Defects that only make sense in one family, which they bring along, for requests. */
const familyOfDefect: readonly (readonly [id: string, family: FamilyId])[] = [
  ["limits/bucket-read-modify-write", "token-bucket"],
  ["limits/log-check-then-add", "sliding-log"],
  ["limits/two-bucket-instances", "token-bucket"],
  ["limits/double-burst", "token-bucket"],
  ["limits/slow-refill", "token-bucket"],
  ["limits/fast-refill", "token-bucket"],
  ["limits/never-resets", "fixed-never-resets"],
  ["limits/ttl-refreshed", "fixed-refreshed"],
  ["limits/leaking-slots", "fixed-leaking"],
  ["limits/first-request-free", "fixed-first-free"],
  ["limits/daily-window-key", "fixed-daily"],
  ["limits/count-before-cleanup", "log-late-cleanup"],
  ["limits/ignores-previous-window", "sliding-counter"],
];

const familiesOfRequests = [...familyOfDefect, ...familyOfSwitch];

function chosenFamily(switches: Switchboard, meter: Meter): FamilyId {
  const candidates = meter === "requests" ? familiesOfRequests : familyOfSwitch;
  for (const [id, family] of candidates) if (switches.on(id)) return family;
  return "fixed-clock";
}

export function limiterPolicy(switches: Switchboard, limits: RateLimits, meter: Meter, nowMs: number): LimiterPolicy {
  const family = chosenFamily(switches, meter);
  const { windowMs } = limits;
  const base = meter === "requests" ? limits.requestsPerWindow : limits.tokensPerWindow;
  const capacity = switches.on("limits/burst-below-limit") ? Math.ceil(base / 4) : base;
  const lawful: LimiterPolicy = {
    family,
    config: { limit: base, windowMs, capacity },
    promised: { limit: base, windowMs, capacity },
    shownLimit: base,
    shownOffset: 0,
    resetShiftMs: 0,
  };
  return meter === "requests" ? withDefects(lawful, switches, nowMs) : lawful;
}

function withDefects(lawful: LimiterPolicy, switches: Switchboard, nowMs: number): LimiterPolicy {
  const { limit, windowMs } = lawful.config;
  const resized = (by: number, shownOffset: number): LimiterPolicy => ({
    ...lawful,
    config: { ...lawful.config, limit: limit + by, capacity: lawful.config.capacity + by },
    promised: { ...lawful.config, limit: limit + by, capacity: lawful.config.capacity + by },
    shownOffset,
  });
  const enforcing = (config: Partial<LimiterConfig>): LimiterPolicy => {
    const enforced = { ...lawful.config, ...config };
    return { ...lawful, config: enforced, promised: enforced };
  };
  const lasting = (share: number): LimiterPolicy => ({
    ...enforcing({ windowMs: Math.round(windowMs * share) }),
    resetShiftMs: windowMs - Math.round(windowMs * share),
  });
  // The wait is still computed from the rate that was meant.
  const refilling = (rate: number): LimiterPolicy => ({ ...lawful, config: { ...lawful.config, limit: rate } });
  if (switches.on("limits/over-admit-one")) return resized(1, -1);
  if (switches.on("limits/under-admit-one")) return resized(-1, 1);
  if (switches.on("limits/third-per-instance")) return enforcing({ limit: Math.ceil(limit / 3), capacity: Math.ceil(limit / 3) });
  if (switches.on("limits/window-too-short")) return lasting(5 / 6);
  if (switches.on("limits/window-too-long")) return lasting(5 / 4);
  if (switches.on("limits/double-burst")) return enforcing({ capacity: 2 * limit });
  if (switches.on("limits/slow-refill")) return refilling(Math.ceil(limit / 2));
  if (switches.on("limits/fast-refill")) return refilling(2 * limit);
  if (switches.on("limits/limit-flaps") && Math.floor(nowMs / 500) % 2 === 1) {
    return { ...resized(-Math.floor(limit / 2), 0), shownLimit: Math.ceil(limit / 2) };
  }
  if (switches.on("limits/wrong-plan-limit"))
    return { ...resized(Math.ceil(limit / 2), 0), shownLimit: limit + Math.ceil(limit / 2) };
  return lawful;
}

export function createFamilyCounter(family: FamilyId, config: LimiterConfig, nowMs: number): Counter {
  switch (family) {
    case "fixed-clock":
      return createCounter(fixedClock, config, nowMs);
    case "fixed-first":
      return createCounter(fixedFirst, config, nowMs);
    case "fixed-second":
      return createCounter(fixedSecond, config, nowMs);
    case "fixed-never-resets":
      return createCounter(fixedNeverResets, config, nowMs);
    case "fixed-refreshed":
      return createCounter(fixedRefreshed, config, nowMs);
    case "fixed-leaking":
      return createCounter(fixedLeaking, config, nowMs);
    case "fixed-first-free":
      return createCounter(fixedFirstFree, config, nowMs);
    case "fixed-daily":
      return createCounter(fixedDaily, config, nowMs);
    case "sliding-log":
      return createCounter(slidingLog, config, nowMs);
    case "sliding-log-full":
      return createCounter(slidingLogFull, config, nowMs);
    case "log-late-cleanup":
      return createCounter(logLateCleanup, config, nowMs);
    case "sliding-counter":
      return createCounter(slidingCounter, config, nowMs);
    case "sliding-counter-full":
      return createCounter(slidingCounterFull, config, nowMs);
    case "token-bucket":
      return createCounter(tokenBucket, config, nowMs);
    case "token-bucket-next":
      return createCounter(tokenBucketNext, config, nowMs);
    case "token-bucket-empty":
      return createCounter(tokenBucketEmpty, config, nowMs);
    case "batch-refill":
      return createCounter(batchRefill, config, nowMs);
    case "gcra":
      return createCounter(gcra, config, nowMs);
    default:
      return family satisfies never;
  }
}
