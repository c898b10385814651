import { createRangeMost } from "../../history/range-most.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { countBelow, countUpTo } from "../../../core/sorted.ts";

/** The most requests that fade within a span of time after a reading. */
export type FadedBetween = (early: LimitOp, spanMs: number) => number;

/**
 * The number of requests that fade within `spanMs` from the window before the one that the label of `early` names, or from the
 * one before that if the label names the end of both. Rejections may count there, so that it is more than the average rate.
 * Nothing where labels lie on no grid of windows. Each answer takes O(log n).
 */
export function createFadedBetween(view: GroupView): FadedBetween {
  const { windowMs, granularityMs, fuzzMs, clockMs } = view.tolerances;
  const slackMs = granularityMs + fuzzMs + clockMs;
  let isOffGrid: ((early: LimitOp) => boolean) | null = null;
  return (early, spanMs) => {
    isOffGrid ??= createOffGrid(view, slackMs);
    if (isOffGrid(early)) return 0;
    const counted = [1, 2].map((back) => {
      const endMs = early.requests.resetMs! - back * windowMs;
      return view.contenders.possible(endMs - windowMs - view.offset!.highMs - slackMs, endMs - view.offset!.lowMs + slackMs);
    });
    return Math.ceil((Math.max(...counted) * spanMs) / windowMs);
  };
}

/** Whether a label of the window before a reading lies further from the grid of windows of its label than clocks explain. */
function createOffGrid({ answered, tolerances: { windowMs } }: GroupView, slackMs: number): (early: LimitOp) => boolean {
  const labelled = answered.filter(({ requests }) => requests.resetMs !== null);
  const ends = labelled.map(({ headersMs }) => headersMs);
  // Places of labels within their windows, in windows that begin at two instants: of these one has no end near the label of a reading.
  const origins = [0, windowMs / 2].map((originMs) => {
    const placeOf = (op: LimitOp): number => (((op.requests.resetMs! + originMs) % windowMs) + windowMs) % windowMs;
    const places = labelled.map(placeOf);
    return { placeOf, latest: createRangeMost(places), earliest: createRangeMost(places.map((place) => -place)) };
  });
  return (early) => {
    if (2 * slackMs >= windowMs) return false;
    const [from, until] = [countBelow(ends, early.sentMs - windowMs), countUpTo(ends, early.sentMs)];
    const middling = origins.find(({ placeOf }) => Math.abs(placeOf(early) - windowMs / 2) <= windowMs / 4)!;
    const place = middling.placeOf(early);
    const [before, after] = [place + middling.earliest(from, until), middling.latest(from, until) - place];
    return Math.max(before, after) > slackMs;
  };
}
