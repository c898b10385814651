import { batchRefill } from "./batch-refill.ts";
import { fixedFromFirst } from "./fixed-from-first.ts";
import { fixedWindow } from "./fixed-window.ts";
import type { FamilyId, LimiterModel } from "./limiter-model.ts";
import { slidingCounter } from "./sliding-counter.ts";
import { slidingLog } from "./sliding-log.ts";
import { tokenBucket } from "./token-bucket.ts";

const models: Readonly<Record<FamilyId, LimiterModel>> = {
  "fixed-window": fixedWindow,
  "fixed-from-first": fixedFromFirst,
  "sliding-log": slidingLog,
  "sliding-counter": slidingCounter,
  "token-bucket": tokenBucket,
  "batch-refill": batchRefill,
};

/** The model of a family by its name; null: there is none. */
export function modelOfFamily(family: string): LimiterModel | null {
  return Object.hasOwn(models, family) ? models[family as FamilyId] : null;
}
