import type { CalibrationResult } from "../../core/result/generator-health.ts";
import { longestLength } from "../workload/draw-length.ts";
import { concurrencyOf } from "../arrivals/arrival-kinds.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { WorkloadItem } from "../profile/workload-item.ts";
import type { LoadPlan } from "../plan/plan-load.ts";

/**
 * Workers for a profile. `auto` takes one, and one more for every time that the plan asks for what one worker can do at 70 %
 * utilisation by the calibration, in requests or in events of streams, up to the processors; a search is sized for its highest
 * rate. A closed loop, which has no rate of its own, gets one.
 */
export function chooseWorkers(
  profile: LoadProfile,
  plan: Pick<LoadPlan, "peakPerSecond">,
  ceiling: CalibrationResult["ceiling"] | null,
  processors: number,
): number {
  const { workers } = profile;
  const concurrency = concurrencyOf(profile.arrivals);
  if (workers !== "auto") return Math.min(workers, concurrency ?? Infinity);
  if (ceiling === null || concurrency !== null) return 1;
  const share =
    plan.peakPerSecond / ceiling.requestsPerSecond +
    (plan.peakPerSecond * eventsPerRequest(profile.workload)) / ceiling.eventsPerSecond;
  return Math.min(processors, Math.max(1, Math.ceil(share)));
}

/** Weighted mean over the workload; the longest answer that an item may ask for, one event a token. */
function eventsPerRequest(workload: readonly WorkloadItem[]): number {
  const total = workload.reduce((sum, item) => sum + item.weight, 0);
  const events = workload.reduce(
    (sum, item) => sum + (item.endpoint === "chat" && item.stream ? item.weight * longestLength(item.outputTokens) : 0),
    0,
  );
  return events / total;
}
