import type { Gaps } from "../profile/file/gaps.ts";
import type { RateLevels } from "./arrival-kind.ts";
import { constantRate } from "./arrival-times.ts";
import { plannedSends } from "./planned-sends.ts";

/** Levels of a search that are requests a second. */
export function rateLevels(gaps: Gaps): RateLevels {
  return {
    of: "rate",
    schedule: ({ level, seconds }, step, random) => plannedSends([{ rate: constantRate(level), seconds }], gaps, random, step),
  };
}
