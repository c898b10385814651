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
import { createCounter, type Counter, type FamilyId, type LimiterConfig, type LimiterFamily } from "./limiter-family.ts";
import { slidingCounter, slidingCounterFull } from "./sliding-counter.ts";
import { logLateCleanup, slidingLog, slidingLogFull } from "./sliding-log.ts";
import { batchRefill, tokenBucket, tokenBucketEmpty, tokenBucketNext } from "./token-bucket.ts";

type CreateCounter = (config: LimiterConfig, nowMs: number) => Counter;

/** The kind of state differs from family to family, and nobody outside sees it. */
function counting<State>(family: LimiterFamily<State>): CreateCounter {
  return (config, nowMs) => createCounter(family, config, nowMs);
}

const families: Readonly<Record<FamilyId, CreateCounter>> = {
  "fixed-clock": counting(fixedClock),
  "fixed-first": counting(fixedFirst),
  "fixed-second": counting(fixedSecond),
  "fixed-never-resets": counting(fixedNeverResets),
  "fixed-refreshed": counting(fixedRefreshed),
  "fixed-leaking": counting(fixedLeaking),
  "fixed-first-free": counting(fixedFirstFree),
  "fixed-daily": counting(fixedDaily),
  "sliding-log": counting(slidingLog),
  "sliding-log-full": counting(slidingLogFull),
  "log-late-cleanup": counting(logLateCleanup),
  "sliding-counter": counting(slidingCounter),
  "sliding-counter-full": counting(slidingCounterFull),
  "token-bucket": counting(tokenBucket),
  "token-bucket-next": counting(tokenBucketNext),
  "token-bucket-empty": counting(tokenBucketEmpty),
  "batch-refill": counting(batchRefill),
  gcra: counting(gcra),
};

export function createFamilyCounter(family: FamilyId, config: LimiterConfig, nowMs: number): Counter {
  return families[family](config, nowMs);
}
