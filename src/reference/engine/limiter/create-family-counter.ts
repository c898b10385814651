import { fixedClock, fixedFirst, fixedSecond } from "./fixed-window.ts";
import { gcra } from "./gcra.ts";
import { counting, type Counter, type CreateCounter, type FamilyId, type LimiterConfig } from "./limiter-family.ts";
import { slidingCounter, slidingCounterFull } from "./sliding-counter.ts";
import { slidingLog, slidingLogFull } from "./sliding-log.ts";
import { batchRefill, tokenBucket, tokenBucketEmpty, tokenBucketNext } from "./token-bucket.ts";

const families: Readonly<Record<FamilyId, CreateCounter>> = {
  "fixed-clock": counting(fixedClock),
  "fixed-first": counting(fixedFirst),
  "fixed-second": counting(fixedSecond),
  "sliding-log": counting(slidingLog),
  "sliding-log-full": counting(slidingLogFull),
  "sliding-counter": counting(slidingCounter),
  "sliding-counter-full": counting(slidingCounterFull),
  "token-bucket": counting(tokenBucket),
  "token-bucket-next": counting(tokenBucketNext),
  "token-bucket-empty": counting(tokenBucketEmpty),
  "batch-refill": counting(batchRefill),
  gcra: counting(gcra),
};

export function createFamilyCounter(family: string, config: LimiterConfig, nowMs: number): Counter {
  if (!Object.hasOwn(families, family)) throw new RangeError(`no limiter counts by ${family}`);
  return families[family as FamilyId](config, nowMs);
}
