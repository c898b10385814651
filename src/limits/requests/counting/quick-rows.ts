import type { GroupView } from "../../history/group-view.ts";
import { isInPhase, type LimitOp } from "../../history/op.ts";
import { roundingOf } from "../../history/rounding.ts";

/** Requests of one key, one directly after the other, up to the first that was refused. */
export interface QuickRow {
  readonly ops: readonly LimitOp[];
  /** The chance at most, below 1, that anything comes back in any lawful limiter while the row lasts. */
  readonly chance: number;
}

/** Requests that come back before a row, at least and at most: the exam draws them at random for each. */
export const drawnBack = { least: 4.5, most: 9.5 } as const;

/**
 * The rows of the phase that uses up what came back, request by request, with a pause drawn at random before each. While one lasts comes
 * back what the average rate brings, clocks of several instances included, and what was sent a window ago, if that slides: of each
 * instant at which something was sent then, the draw hits the row with the share that the row has of its range. O(n squared), of some
 * dozen requests.
 */
export function quickRows(view: GroupView): readonly QuickRow[] {
  const { limit, tolerances } = view;
  // If the remaining number is rounded, rows do not show single requests.
  if (limit === null || !view.exclusive || roundingOf(view.admitted, limit) > 1) return [];
  const { windowMs, fuzzMs, granularityMs, rateRatio } = tolerances;
  const gapMs = windowMs / limit;
  const rows: LimitOp[][] = [];
  view.ops.forEach((op, index) => {
    const previous = view.ops[index - 1];
    if (!isInPhase(op, "requests", "E") || !Number.isFinite(op.headersMs)) return;
    const pauseMs = op.sentMs - (previous?.headersMs ?? Number.NEGATIVE_INFINITY);
    const isNext = previous?.outcome === "admitted" && rows.at(-1)?.at(-1) === previous;
    if (isNext && pauseMs >= 0 && pauseMs < gapMs / 4) rows.at(-1)!.push(op);
    else if (pauseMs > gapMs) rows.push([op]);
  });
  return rows.flatMap((ops) => {
    const [fromMs, toMs] = [ops[0]!.sentMs, ops.at(-1)!.headersMs];
    const spanMs = toMs - fromMs + fuzzMs;
    const slackMs = granularityMs + fuzzMs;
    const instants = instantsWithin(view, fromMs - windowMs - slackMs, toMs - windowMs + slackMs);
    const chance = (spanMs / gapMs) * (1 + rateRatio + instants / (drawnBack.most - drawnBack.least));
    const reads = ops.every(({ requests }) => requests.limit === limit && requests.remaining !== null);
    return ops.length >= 2 && reads && chance < 1 ? [{ ops, chance }] : [];
  });
}

/** How many times something was sent within a span, what follows within the difference of clocks as one. */
function instantsWithin({ ops, disguised, tolerances }: GroupView, fromMs: number, toMs: number): number {
  const sent = [...ops, ...disguised].filter((op) => op.headersMs >= fromMs && op.sentMs <= toMs).map(({ sentMs }) => sentMs);
  sent.sort((a, b) => a - b);
  return sent.filter((ms, index) => index === 0 || ms - sent[index - 1]! > tolerances.fuzzMs).length;
}

/** Below this chance what came back in between does not explain what was seen each time. */
export const decisiveChance = 1e-4;
