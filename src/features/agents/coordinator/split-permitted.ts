import { planLoad } from "../../../load/plan/plan-load.ts";
import { permittedRps } from "../../../load/plan/profile-blockers.ts";
import type { WorkOrder } from "../../../load/workers/load-workers.ts";

export interface PermittedSplit {
  /** The sends a second that each agent may make by itself; null: any number. */
  readonly ownPerSecond: number | null;
  /** Sends a second beyond that, which are lent to the agent that needs one. */
  readonly sparePlaces: number;
}

/**
 * Requests per second that each of several agents may send for itself, so that all together never exceed what is permitted: the
 * seconds of the agents need not begin at one instant. Null is no bound; 0 when there are more agents than requests.
 */
export function splitRate(permittedPerSecond: number | null, agents: number): number | null {
  return permittedPerSecond === null ? null : Math.floor(permittedPerSecond / agents);
}

/** Throws a RangeError when a profile cannot be held to the permitted rate by so many agents. */
export function splitPermitted({ profile, manifest, seed, trace }: WorkOrder, agents: number): PermittedSplit {
  if (profile.engine === "autocannon") throw new RangeError("the second tool cannot be sent by agents");
  const permitted = permittedRps(manifest);
  const ownPerSecond = splitRate(permitted, agents);
  if (permitted === null || ownPerSecond === null) return { ownPerSecond: null, sparePlaces: 0 };
  if (ownPerSecond < 1) {
    throw new RangeError(`permissions.loadUpToRps allows ${permitted} requests in one second, fewer than there are agents`);
  }
  const { peakPerSecond } = planLoad({ profile, manifest, seed, trace });
  if (peakPerSecond > ownPerSecond * agents) {
    throw new RangeError(
      `it sends up to ${peakPerSecond} requests in one second; ${agents} agents share the permitted ${permitted} evenly, which gives ${ownPerSecond * agents}`,
    );
  }
  return { ownPerSecond, sparePlaces: Math.floor(permitted) - ownPerSecond * agents };
}
