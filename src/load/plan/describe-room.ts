import { mostLoadBytes } from "../../wire/client/capture-contexts.ts";
import { concurrencyOf } from "../arrivals/arrival-kinds.ts";
import { longestLength } from "../workload/draw-length.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { WorkloadItem } from "../profile/workload-item.ts";
import type { LoadPlan } from "./plan-load.ts";

/** Bytes of an answer beside its events, and of an event whose text differs much from the one before. */
const [answerBytes, eventBytes] = [4096, 64];
const mebibyte = 2 ** 20;

/**
 * Words before a profile whose answers under way may need more memory than there is for them: it would end as not valid.
 * Null for all others.
 */
export function describeRoom(profile: LoadProfile, plan: Pick<LoadPlan, "peakPerSecond">): string | null {
  const inFlight = Math.min(
    profile.maxInFlight,
    concurrencyOf(profile.arrivals) ?? Math.ceil(plan.peakPerSecond * profile.timeoutSeconds),
  );
  const bytes = inFlight * (answerBytes + eventBytes * Math.max(...profile.workload.map(longestStream)));
  if (bytes <= mostLoadBytes) return null;
  return `${inFlight} answers under way may take ${Math.ceil(bytes / mebibyte)} MiB; there are ${mostLoadBytes / mebibyte} MiB for them, and a load that needs more ends as not valid`;
}

/** Events of the longest answer, one a token. */
function longestStream(item: WorkloadItem): number {
  return item.endpoint === "chat" && item.stream ? longestLength(item.outputTokens) : 0;
}
