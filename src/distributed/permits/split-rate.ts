/**
 * Requests per second that each of several agents may send for itself, so that all together never exceed what is permitted: the
 * seconds of the agents need not begin at one instant. Null is no bound; 0 when there are more agents than requests.
 */
export function splitRate(permittedPerSecond: number | null, agents: number): number | null {
  return permittedPerSecond === null ? null : Math.floor(permittedPerSecond / agents);
}
