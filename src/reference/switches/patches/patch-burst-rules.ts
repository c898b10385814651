import { lawfulBurstRules, type BurstRules } from "../../engine/burst/burst-rules.ts";
import type { KeyRecord } from "../../engine/keys/key-record.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";
import { calmRequests, type RequestsUnderWay } from "./requests-under-way.ts";

const minuteMs = 60_000;

export function patchBurstRules(switches: Switchboard, underWay: Pick<RequestsUnderWay, "count">): BurstRules {
  const lawful = lawfulBurstRules;
  /** Scopes whose first cooldown is over, by the allowance that was enforced. */
  const enforced = new Map<string, number>();
  /** Key that began the last cooldown of an account. */
  const beganBy = new Map<string, KeyRecord>();
  let arrivals = 0;
  const isShared = (): boolean =>
    switches.on("burst/shared-by-keys") || (switches.on("burst/shared-under-load") && underWay.count() > calmRequests);

  const cooldownMs = firstChange(switches, lawful.cooldownMs, {
    "burst/no-cooldown": () => 0,
    "burst/cooldown-half": (key) => lawful.cooldownMs(key) / 2,
    "burst/cooldown-double": (key) => lawful.cooldownMs(key) * 2,
    "burst/cooldown-in-milliseconds": (key) => lawful.cooldownMs(key) / 1000,
    "burst/cooldown-in-minutes": (key) => lawful.cooldownMs(key) * 60,
  });

  return {
    family: firstChange(switches, lawful.family, {
      "burst/clock-minute": () => "fixed-clock",
      "burst/first-request-minute": () => "fixed-first",
      "burst/refilling": () => "token-bucket",
    }),
    arrives: () => {
      arrivals += 1;
    },
    scope: firstChange(switches, lawful.scope, {
      "burst/shared-by-keys": (key) => `account ${key.account}`,
      "burst/shared-under-load": (key) => (isShared() ? `account ${key.account}` : lawful.scope(key, "models")),
      "burst/per-endpoint": (key, endpoint) => `${key.id} ${endpoint}`,
      "burst/per-instance": (key) => `${key.id} ${arrivals % 3}`,
    }),
    countedBy: firstChange(switches, lawful.countedBy, {
      "burst/counted-per-endpoint": (endpoint) => endpoint,
      "burst/usage-uncounted": (endpoint) => (endpoint === "usage" ? null : "all"),
    }),
    windowMs: () => (switches.on("burst/per-second") ? 1000 : lawful.windowMs()),
    limit: (key, inForce) => {
      const limit = key.settings.burst_limit;
      if (limit === null || switches.on("burst/ignored")) return isShared() ? inForce : null;
      if (switches.on("burst/raising-ignored") && inForce !== null) return Math.min(limit, inForce);
      if (switches.on("burst/over-admit-one")) return limit + 1;
      return switches.on("burst/under-admit-one") ? Math.max(limit - 1, 0) : limit;
    },
    cooldownMs,
    runningCooldownMs: (key) => cooldownMs(isShared() ? (beganBy.get(key.account) ?? key) : key),
    startsWith: () => (switches.on("burst/cooldown-from-excess") ? "first-refused" : lawful.startsWith()),
    countsFromMs: (key, firstMs, nowMs) => {
      beganBy.set(key.account, key);
      return switches.on("burst/anchored-early") ? (firstMs ?? nowMs) : nowMs;
    },
    countsOnFromMs: (sinceMs, nowMs) => (switches.on("burst/extended-by-attempts") ? nowMs : sinceMs),
    restores: (scope, limit) => {
      enforced.set(scope, limit);
      return !switches.on("burst/allowance-not-restored");
    },
    enforces: (scope, limit) => !(switches.on("burst/enforced-once") && enforced.get(scope) === limit),
    shownWaitMs: firstChange(switches, lawful.shownWaitMs, {
      "burst/retry-after-constant": (_waitMs, cooldown) => cooldown,
      "burst/retry-after-window": () => minuteMs,
    }),
  };
}
