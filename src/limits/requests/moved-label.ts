import type { GroupView } from "../exam/check.ts";
import type { LimitOp } from "../history/op.ts";
import { findEpochs, type Epoch } from "./lost-updates.ts";

/** Once may be a clock that was set, or a counter that was cleared. */
const fewestMoves = 2;

/**
 * A label that many requests over many refills name is the end of a window, or the instant at which the oldest request leaves a log. Neither
 * gives way to another label before it has come, unless windows end at least a window apart (a counter that names the end of the next
 * one). Pairs of labels of which the first was still clearly ahead when the second took its place, less than a window later, and was not
 * named again, as it would be by instances whose clocks differ. null: fewer than two such pairs.
 */
export function findMovedLabels(view: GroupView): readonly (readonly [LimitOp, LimitOp])[] | null {
  const { offset, tolerances } = view;
  if (offset === null || offset.split) return null;
  const slackMs = tolerances.granularityMs + tolerances.clockMs + tolerances.fuzzMs;
  const anchored = findEpochs(view)
    .filter((epoch) => epoch.anchored)
    .toSorted((one, other) => one.resetMs - other.resetMs);
  const moves = anchored.flatMap((after, index): readonly (readonly [LimitOp, LimitOp])[] => {
    const before = anchored[index - 1];
    if (before === undefined || after.resetMs - before.resetMs >= tolerances.windowMs - slackMs) return [];
    const first = firstAnswered(after);
    const last = before.ops.findLast((op) => op.headersMs < first.sentMs);
    const isAhead = first.headersMs + offset.highMs < before.resetMs - slackMs;
    const isNamedAgain = view.answered.some(
      ({ sentMs, requests: { resetMs } }) => sentMs > first.headersMs && resetMs !== null && resetMs <= before.resetMs + slackMs,
    );
    return last !== undefined && isAhead && !isNamedAgain ? [[last, first]] : [];
  });
  return moves.length >= fewestMoves ? moves : null;
}

function firstAnswered({ ops }: Epoch): LimitOp {
  return ops.reduce((least, op) => (op.headersMs < least.headersMs ? op : least));
}
