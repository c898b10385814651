import { groupBy } from "../../core/group-by.ts";
import type { Overshoot } from "../../core/result/limits-result.ts";
import type { LimitOp } from "../history/op.ts";

/**
 * By the labels of the answers: those of one label were counted in one window, whatever the algorithm. A count that refills has many labels,
 * and the most under one of them is then a small part. null: no answer shows limit, label and usage.
 */
export function measureOvershoot(ops: readonly LimitOp[]): Overshoot | null {
  const labelled = ops.filter(
    ({ outcome, cached, tokens }) => outcome === "admitted" && !cached && tokens.limit !== null && tokens.resetMs !== null,
  );
  const counted = labelled.filter(({ usedTokens }) => usedTokens !== null);
  const windows = [...groupBy(counted, ({ tokens }) => `${tokens.limit} ${tokens.resetMs}`).values()];
  const worst = windows.map(measureWindow).reduce<Overshoot | null>(joinOvershoots, null);
  return worst === null ? null : { ...worst, withoutUsage: labelled.length - counted.length };
}

/** Of both the worse: the fuller window, and the larger bound. */
export function joinOvershoots(one: Overshoot | null, other: Overshoot | null): Overshoot | null {
  if (one === null || other === null) return one ?? other;
  const fuller = aboveLimit(other) > aboveLimit(one) ? other : one;
  const { inFlight, atOnce } = other.atOnce > one.atOnce ? other : one;
  const { limit, used, answers } = fuller;
  return { limit, used, answers, atOnce, inFlight, withoutUsage: one.withoutUsage + other.withoutUsage };
}

/**
 * All that are under way when the last token is used were admitted, and are charged when they end: what was under way at once is the most
 * that can come on top.
 */
function measureWindow(ops: readonly LimitOp[]): Overshoot {
  const edges = ops.flatMap(({ sentMs, endMs, usedTokens }) => [
    { atMs: sentMs, change: 1, tokens: usedTokens ?? 0 },
    { atMs: endMs, change: -1, tokens: -(usedTokens ?? 0) },
  ]);
  let [underWay, tokensUnderWay, inFlight, atOnce] = [0, 0, 0, 0];
  // One that ends as another begins is not under way beside it.
  for (const { change, tokens } of edges.toSorted((a, b) => a.atMs - b.atMs || a.change - b.change)) {
    underWay += change;
    tokensUnderWay += tokens;
    if (tokensUnderWay > atOnce) [inFlight, atOnce] = [underWay, tokensUnderWay];
  }
  const used = ops.reduce((sum, op) => sum + (op.usedTokens ?? 0), 0);
  return { limit: ops[0]?.tokens.limit ?? 0, used, answers: ops.length, atOnce, inFlight, withoutUsage: 0 };
}

function aboveLimit({ used, limit }: Overshoot): number {
  return used - limit;
}
