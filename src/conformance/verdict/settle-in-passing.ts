import { settleRequirement, type SettledRequirement, type SettleOptions } from "./settle-requirement.ts";

/**
 * A row that was not asked for stays untested whatever was seen of it: whether its condition arises is chance, and equal selections
 * judge equal rows. A violation that was seen is reported all the same, and marked.
 */
export function settleInPassing(options: SettleOptions): SettledRequirement {
  const settled = settleRequirement(options);
  return settled.violations.length > 0 ? { ...settled, inPassing: true } : settleRequirement({ ...options, occurrences: [] });
}
