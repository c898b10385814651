import { concurrencyOf, shapeOf } from "../arrivals/arrival-kinds.ts";
import type { Share } from "../arrivals/share.ts";
import type { LoadPlan } from "../plan/plan-load.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadSender } from "../send/load-sender.ts";

interface WarmInput {
  readonly sender: LoadSender;
  readonly profile: LoadProfile;
  readonly plan: LoadPlan;
  readonly share: Share;
}

/** Connections that are opened before the first send of a schedule; a closed loop opens all that it needs. */
const mostWarmConnections = 64;
/** Connections that are opened at once: queues of servers for new ones are short. */
const openedAtOnce = 128;

/** Opens the connections that a share begins with, so that its first requests do not wait for them. */
export async function warmConnections({ sender, profile, plan, share }: WarmInput): Promise<void> {
  const ofSchedule = Math.min(mostWarmConnections, Math.max(2, Math.ceil(plan.peakPerSecond / share.count)));
  // A search may end far below the most that it may try.
  const most = shapeOf(profile.arrivals).name === "search" ? mostWarmConnections : Infinity;
  const length = Math.min(profile.maxInFlight, most, concurrencyOf(profile.arrivals) ?? ofSchedule);
  for (let from = 0; from < length; from += openedAtOnce) {
    await sender.warm?.(Array.from({ length: Math.min(openedAtOnce, length - from) }, (_, place) => from + place));
  }
}
