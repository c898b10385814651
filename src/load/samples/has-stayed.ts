import type { LoadRecord } from "./load-record.ts";

/**
 * Whether its client stayed: those that go away on purpose are subjects of no share, neither of gates, nor of the misses of a search,
 * nor of the errors that end a profile. Nobody knows how their answers would have ended.
 */
export function hasStayed({ outcome }: Pick<LoadRecord, "outcome">): boolean {
  return outcome !== "left";
}
