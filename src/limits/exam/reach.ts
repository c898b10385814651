import type { Manifest } from "../../core/manifest.ts";
import { refusalsWanted } from "./schedule-steps.ts";

/** Requests that a schedule sends at most to use up a limit, where the manifest sets no lower budget. */
export const mostRequests: number = 20_000;

/**
 * Why a schedule certainly cannot use up a limit of requests per window, in words for the report; null where it may. It takes each
 * request that the limit admits, and those that are refused then; what comes back meanwhile only adds to them.
 */
export function whyUnreachable(limit: number, { budget }: Pick<Manifest, "budget">): string | null {
  if (limit < 1) return `a limit of ${limit} admits nothing that could be counted`;
  const needed = Math.floor(limit) + refusalsWanted;
  const most = Math.min(mostRequests, budget.maxRequests ?? mostRequests);
  if (needed <= most) return null;
  return `unreachable: using up a limit of ${limit} takes ${needed} requests at least, at most ${most} are sent`;
}
