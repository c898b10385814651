import type { GeneratorHealth } from "../../core/result/generator-health.ts";
import type { HealthSecond } from "./generator-health.ts";
import { longestDelay } from "./longest-delay.ts";

/** How busy the event loop was on average, and its longest delay; null: nobody looked at it. */
export function loopFigures(
  samples: readonly Pick<HealthSecond, "loopUtilization" | "loopDelayMaxMs">[],
): Pick<GeneratorHealth, "loopUtilization" | "loopDelayMaxMs"> {
  if (samples.length === 0) return { loopUtilization: null, loopDelayMaxMs: null };
  return {
    loopUtilization: samples.reduce((sum, sample) => sum + sample.loopUtilization, 0) / samples.length,
    loopDelayMaxMs: longestDelay(samples),
  };
}
