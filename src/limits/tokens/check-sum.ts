import { accused, type Check, type CheckHead } from "../verdict/check.ts";
import { certainlyCharged } from "../history/certainly-charged.ts";
import type { LimitOp } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import type { TokenReadings } from "./token-readings.ts";
import { describeFall } from "./describe-fall.ts";
import { mostRefill } from "./most-refill.ts";
import { leavingBetween } from "./leaving-between.ts";
import { chargeDelayMs } from "./charge-delay.ts";

/** Fewer would say no more than the reading before and after each. */
const fewestBetween = 3;

/**
 * Any two readings, the later one before the reset that the earlier names: remaining fell by what all requests in between used, less
 * the average rate, one refill and what was used a window ago. O(n squared), of an exam of some dozen requests.
 */
export function checkSum(
  ops: readonly LimitOp[],
  head: CheckHead,
  { step, lump, mayHaveEnded, tolerances }: TokenReadings & { readonly tolerances: Tolerances },
): Check | null {
  const readings = ops.filter((op) => op.outcome === "admitted" && op.tokens.remaining !== null && Number.isFinite(op.endMs));
  for (const [index, last] of readings.entries()) {
    for (const first of readings.slice(0, index)) {
      const limit = first.tokens.limit;
      if (limit === null || mayHaveEnded(first, last)) continue;
      const between = ops.filter((op) => op.sentMs > first.headersMs && op.endMs + chargeDelayMs < last.sentMs);
      const settled = between.filter((op) => op.outcome === "admitted" && op.usedTokens !== null);
      if (settled.length < fewestBetween) continue;
      // Beyond what was left nothing can be taken off.
      const used = Math.min(
        first.tokens.remaining!,
        settled.reduce((sum, op) => sum + certainlyCharged(op), 0),
      );
      const fell = first.tokens.remaining! - last.tokens.remaining!;
      const rate =
        mostRefill(limit, { fromMs: first.sentMs, untilMs: last.headersMs, slackMs: tolerances.granularityMs }, tolerances) + 8;
      const batch = first.tokens.resetMs === last.tokens.resetMs ? 0 : lump;
      const own = Math.max(first.usedTokens ?? 4, last.usedTokens ?? 4);
      // Tokens that were held for an answer that had just ended, or was under way, may have been given back after the first
      // reading.
      const held = ops.filter((op) => op.sentMs <= first.headersMs && op.endMs + chargeDelayMs >= first.sentMs);
      const released = held.reduce((sum, op) => sum + (op.maxTokens ?? 0), 0);
      const slack = rate + batch + step + own + released + leavingBetween(ops, first, last, tolerances);
      if (fell >= used - slack) continue;
      const seconds = ((last.headersMs - first.sentMs) / 1000).toFixed(1);
      return accused(head, settled.length, "fail", {
        kind: "token-sum",
        message: `between #${first.seq} and #${last.seq}, ${seconds} s apart, ${settled.length} requests used ${used} tokens and remaining tokens ${describeFall(fell)}, before the reset that #${first.seq} names. A limit of ${limit} gives back ${slack} at most meanwhile, however it refills`,
        rule: "Remaining tokens fall by what the requests in between report as their usage.",
        spec: "Limits > Rate limits (x-ratelimit-remaining-tokens)",
        ops: [first, ...settled, last],
        parameters: { used, fell, refill: slack },
        correct: `remaining tokens lower by at least ${used - slack}`,
        expected: `at least ${used - slack}`,
        observed: String(fell),
      });
    }
  }
  return null;
}
