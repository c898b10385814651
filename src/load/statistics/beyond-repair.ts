import { proportionInterval } from "./binomial.ts";

/**
 * Requests of one profile hang together: so few of ten are taken to say something of their own, where a verdict falls before the
 * profile has ended and nobody can measure how they depend on each other.
 */
const dependent = 10;

/** The least share of a whole plan that has a property (95 % interval, lower end), if `part` have it and no further one ever does. */
export function leastShare(part: number, planned: number): number {
  return proportionInterval(Math.min(part, planned) / dependent, planned / dependent)[0];
}

/** Most requests of a plan that may have the property before its least share is beyond `share`. */
export function mostBeyond(share: number, planned: number): number {
  let low = 0;
  let high = planned;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (leastShare(middle, planned) <= share) low = middle;
    else high = middle - 1;
  }
  return low;
}
