import { setTimeout as delay } from "node:timers/promises";
import { createRandom } from "../../../core/random.ts";
import type { EngineSeams } from "../../engine/engine-seams.ts";
import type { Switchboard } from "../switch.ts";
import { patchAdmissionRules } from "./patch-admission-rules.ts";
import { patchBurstRules } from "./patch-burst-rules.ts";
import { patchFixtureRules } from "./patch-fixture-rules.ts";
import { patchHeaderRules } from "./patch-header-rules.ts";
import { patchLimiterRules } from "./patch-limiter-rules.ts";
import { patchQueueRules } from "./patch-queue-rules.ts";
import { patchRefusalRules } from "./patch-refusal-rules.ts";
import { patchSettingsRules } from "./patch-settings-rules.ts";
import { patchSpendRules } from "./patch-spend-rules.ts";
import { patchTokenRules } from "./patch-token-rules.ts";
import { patchUsageRules } from "./patch-usage-rules.ts";
import type { RequestsUnderWay } from "./requests-under-way.ts";

export interface DefectSurroundings {
  /** Decides what defective services do by chance. Default 1. */
  readonly seed?: number;
  /**
   * Latency of the store in services that read and write their counters in two steps. Default: two milliseconds of real
   * time, so that races happen under a manual clock too.
   */
  readonly storeDelay?: () => Promise<void>;
  /** Absent: no request is known to overlap another. */
  readonly underWay?: Pick<RequestsUnderWay, "overlaps" | "count">;
}

export function patchEngine(
  switches: Switchboard,
  { seed = 1, storeDelay = () => delay(2), underWay = { overlaps: () => false, count: () => 0 } }: DefectSurroundings = {},
): EngineSeams {
  return {
    admission: patchAdmissionRules(switches, storeDelay),
    burst: patchBurstRules(switches, underWay),
    queue: patchQueueRules(switches),
    fixtures: patchFixtureRules(switches),
    limiter: patchLimiterRules(switches, createRandom(seed).fork("limiter"), underWay),
    headers: patchHeaderRules(switches),
    tokens: patchTokenRules(switches),
    spend: patchSpendRules(switches),
    refusal: patchRefusalRules(switches),
    usage: patchUsageRules(switches),
    settings: patchSettingsRules(switches),
  };
}
