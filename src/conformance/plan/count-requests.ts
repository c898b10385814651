import type { Case } from "./case.ts";

/** Requests that a case sends at most, repeats left out. */
export function countRequests(one: Case): number {
  return Object.values(one.cost.requests).reduce((sum, count) => sum + count, 0);
}
