import { planRequests } from "../../core/declared-limit.ts";
import { endpoints, type EndpointId } from "../../core/exchange/endpoint.ts";
import type { Manifest } from "../../core/manifest.ts";
import { limitWhereUnstated } from "../history/declared-requests.ts";
import { mostRequests, refusalsWanted } from "./schedule-steps.ts";

/** Requests per window where neither the manifest nor an answer says how many there are: those of the smallest plan. */
export const supposedRequests: number = planRequests.starter;

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

/** The largest limit that is used up by requests which cost money, where the manifest declares none: that of the largest plan. */
export const mostUndeclared: number = planRequests.pro;

/** Why using up a limit would cost more than the plan of the exam says, in words for the report; null where it does not. */
export function whyUnplanned(
  limit: number,
  { key, endpoint }: { readonly key: string; readonly endpoint: EndpointId },
  manifest: Manifest,
): string | null {
  if (!endpoints[endpoint].billable || limitWhereUnstated(manifest, key) !== null || limit <= mostUndeclared) return null;
  return `a limit of ${limit} costs more to use up than is planned for one that is not declared (limits.requestsPerMinute): ${mostUndeclared} at most`;
}
