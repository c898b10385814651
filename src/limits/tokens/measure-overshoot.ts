import { groupBy } from "../../core/group-by.ts";
import type { LimitOp } from "../history/op.ts";

/** The tokens that the fullest window admitted, and the bound for what it can admit where requests are charged after their answers. */
export interface Overshoot {
  readonly limit: number;
  /** Tokens of the answers of the fullest window. */
  readonly used: number;
  /** The most tokens of requests of one window that were under way at once. */
  readonly atOnce: number;
  /** How many requests those were. */
  readonly inFlight: number;
}

/**
 * By the labels of the answers: those of one label were counted in one window, whatever the algorithm. A count that refills has many labels,
 * and the most under one of them is then a small part. null: no answer shows limit, label and usage.
 */
export function measureOvershoot(ops: readonly LimitOp[]): Overshoot | null {
  const counted = ops.filter(
    ({ outcome, cached, usedTokens, tokens }) =>
      outcome === "admitted" && !cached && usedTokens !== null && tokens.limit !== null && tokens.resetMs !== null,
  );
  const windows = [...groupBy(counted, ({ tokens }) => `${tokens.limit} ${tokens.resetMs}`).values()];
  return windows.map(measureWindow).reduce<Overshoot | null>(joinOvershoots, null);
}

/** Of both the worse: the fuller window, and the larger bound. */
export function joinOvershoots(one: Overshoot | null, other: Overshoot | null): Overshoot | null {
  if (one === null || other === null) return one ?? other;
  const fuller = aboveLimit(other) > aboveLimit(one) ? other : one;
  const { inFlight, atOnce } = other.atOnce > one.atOnce ? other : one;
  return { limit: fuller.limit, used: fuller.used, inFlight, atOnce };
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
  return { limit: ops[0]?.tokens.limit ?? 0, used, inFlight, atOnce };
}

function aboveLimit({ used, limit }: Overshoot): number {
  return used - limit;
}

/** `the fullest window admitted 1,120 tokens, 120 above its limit; ...` */
export function describeOvershoot(overshoot: Overshoot): string {
  const { limit, used, inFlight, atOnce } = overshoot;
  const above = aboveLimit(overshoot);
  if (above <= 0) return `no window admitted more than its limit: ${number(used)} of ${number(limit)} tokens at most`;
  const bound = `requests that are charged as they end can bring at most ${number(atOnce)} tokens above ${number(limit)}, ${inFlight} in flight`;
  return `the fullest window admitted ${number(used)} tokens, ${number(above)} above its limit; ${bound}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}
