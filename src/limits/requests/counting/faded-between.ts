import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";

/**
 * The number of requests that fade within `spanMs` from the window before the one that the label of `early` names, or from the
 * one before that if the label names the end of both. Rejections may count there, so that it is more than the average rate.
 * Nothing where labels lie on no grid of windows.
 */
export function fadedBetween(view: GroupView, early: LimitOp, spanMs: number): number {
  const { windowMs, granularityMs, fuzzMs, clockMs } = view.tolerances;
  const slackMs = granularityMs + fuzzMs + clockMs;
  const isOffGrid = ({ headersMs, requests: { resetMs } }: LimitOp): boolean => {
    if (resetMs === null || headersMs > early.sentMs || headersMs < early.sentMs - windowMs) return false;
    const apartMs = Math.abs(early.requests.resetMs! - resetMs) % windowMs;
    return apartMs > slackMs && apartMs < windowMs - slackMs;
  };
  if (view.answered.some(isOffGrid)) return 0;
  const counted = [1, 2].map((back) => {
    const endMs = early.requests.resetMs! - back * windowMs;
    return view.contenders.possible(endMs - windowMs - view.offset!.highMs - slackMs, endMs - view.offset!.lowMs + slackMs);
  });
  return Math.ceil((Math.max(...counted) * spanMs) / windowMs);
}
