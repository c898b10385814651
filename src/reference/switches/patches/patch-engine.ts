import { setTimeout as delay } from "node:timers/promises";
import { createRandom } from "../../../core/random.ts";
import type { EngineSeams } from "../../engine/engine-seams.ts";
import { createMeeting } from "../meeting.ts";
import type { Switchboard } from "../switch.ts";
import { patchAdmissionRules } from "./patch-admission-rules.ts";
import { patchBurstRules } from "./patch-burst-rules.ts";
import { patchHeaderRules } from "./patch-header-rules.ts";
import { patchLimiterRules } from "./patch-limiter-rules.ts";
import { patchRefusalRules } from "./patch-refusal-rules.ts";
import { patchSpendRules } from "./patch-spend-rules.ts";
import { patchTokenRules } from "./patch-token-rules.ts";
import { patchUsageRules } from "./patch-usage-rules.ts";
import type { RequestsUnderWay } from "./requests-under-way.ts";
import { type FixtureRules, lawfulFixtureRules } from "../../engine/keys/fixture-rules.ts";
import { firstChange } from "./first-change.ts";
import { lawfulQueueRules, type QueueRules } from "../../engine/burst/queue-rules.ts";
import { lawfulSettingsRules, type SettingsRules } from "../../engine/settings/settings-rules.ts";
import { ordinaryKey } from "../../engine/keys/key-record.ts";

const propagationMs = 800;
/** Time until a copy of the settings is read again. */
const replicationMs = 2500;

/** `changes`: how often the settings of each key were changed. */
function patchSettingsRules(switches: Switchboard, changes: Map<string, number>): SettingsRules {
  const lawful = lawfulSettingsRules;
  const keptCap = (before: number | null, after: number | null): boolean => {
    if (before === null) return false;
    const lowers = after !== null && after < before;
    return switches.on(lowers ? "spend/lowering-ignored" : "spend/raising-ignored");
  };
  return {
    effectAfterMs: (onOther) => {
      if (onOther && switches.on("settings/changes-every-key-late")) return replicationMs;
      return switches.on("settings/delayed") ? propagationMs : lawful.effectAfterMs(onOther);
    },
    mayChange: (caller, key) => switches.on("settings/foreign-key-changed") || lawful.mayChange(caller, key),
    reached: (key, all) => {
      changes.set(key.id, (changes.get(key.id) ?? 0) + 1);
      const reachesAll = ["settings/changes-every-key", "settings/changes-every-key-late"].some((id) => switches.on(id));
      return reachesAll ? all.filter((other) => other.account === key.account) : lawful.reached(key, all);
    },
    keySettings: (before, change) => {
      if (switches.on("settings/change-ignored")) return before;
      const next = lawful.keySettings(switches.on("settings/omitted-members-reset") ? ordinaryKey.settings : before, change);
      const cap = before.monthly_spend_cap;
      return keptCap(cap, next.monthly_spend_cap) ? { ...next, monthly_spend_cap: cap } : next;
    },
    accountCap: (before, asked) => {
      const after = lawful.accountCap(before, asked);
      return switches.on("settings/account-change-ignored") || keptCap(before, after) ? before : after;
    },
  };
}

export interface DefectSurroundings {
  /** Decides what defective services do by chance. Default 1. */
  readonly seed?: number;
  /**
   * Latency of the store in services that read and write their counters in two steps. Default: two milliseconds of real
   * time, so that races happen under a manual clock too.
   */
  readonly storeDelay?: () => Promise<void>;
  /** Time in which requests that were sent together arrive. Default: that of `createMeeting`. */
  readonly arrival?: () => Promise<void>;
  /** Absent: no request is known to overlap another. */
  readonly underWay?: Pick<RequestsUnderWay, "overlaps" | "count">;
}

export function patchEngine(
  switches: Switchboard,
  {
    seed = 1,
    storeDelay = () => delay(2),
    arrival,
    underWay = { overlaps: () => false, count: () => 0 },
  }: DefectSurroundings = {},
): EngineSeams {
  const changes = new Map<string, number>();
  return {
    admission: patchAdmissionRules(switches, storeDelay, createMeeting(arrival)),
    burst: patchBurstRules(switches, underWay),
    queue: patchQueueRules(switches),
    fixtures: patchFixtureRules(switches),
    limiter: patchLimiterRules(switches, createRandom(seed).fork("limiter"), underWay, changes),
    headers: patchHeaderRules(switches),
    tokens: patchTokenRules(switches),
    spend: patchSpendRules(switches),
    refusal: patchRefusalRules(switches),
    usage: patchUsageRules(switches),
    settings: patchSettingsRules(switches, changes),
  };
}

function patchFixtureRules(switches: Switchboard): FixtureRules {
  return { plan: firstChange(switches, lawfulFixtureRules.plan, { "auth/small-plan": () => "starter" }) };
}

function patchQueueRules(switches: Switchboard): QueueRules {
  const lawful = lawfulQueueRules;
  let released = 0;
  return {
    looksAtMs: (opensAtMs, nowMs) => {
      if (switches.on("burst/queue-leaks-early")) return opensAtMs - (opensAtMs - nowMs) * 0.3;
      if (switches.on("burst/queue-waits-twice")) return opensAtMs + (opensAtMs - nowMs);
      return lawful.looksAtMs(opensAtMs, nowMs);
    },
    lets: (answer) => switches.on("burst/queue-leaks-early") || switches.on("burst/queue-releases-all") || lawful.lets(answer),
    takeNext: (waiting) => (switches.on("burst/queue-lifo") ? waiting.pop() : lawful.takeNext(waiting)),
    release: (goOn) => {
      released += 1;
      if (!switches.on("burst/queue-drops") || released % 2 === 1) lawful.release(goOn);
    },
  };
}
