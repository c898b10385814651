import type { Manifest } from "../../core/manifest.ts";

/** Requests that one exam sends at most to use up a limit, where the manifest sets no lower budget. */
export const mostRequests: number = 20_000;

/**
 * Whether an exam can use up a limit of requests per window within its budget: one and a half times the limit and some more.
 * The reason why not, in words for the report; null when it can. 0 admits nothing, so that there is nothing to use up.
 */
export function whyUnreachable(limit: number, { budget }: Pick<Manifest, "budget">): string | null {
  if (limit < 1) return `a limit of ${limit} admits nothing that could be counted`;
  const needed = 1.5 * limit + 60;
  const most = Math.min(mostRequests, budget.maxRequests ?? mostRequests);
  if (needed <= most) return null;
  return `unreachable: using up a limit of ${limit.toPrecision(3)} takes about ${Math.ceil(needed).toPrecision(3)} requests, at most ${most} are sent`;
}
