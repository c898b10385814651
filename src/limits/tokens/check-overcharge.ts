import { accused, type Check, type CheckHead } from "../verdict/check.ts";
import type { LimitOp } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { heldLeavingBetween } from "./leaving-between.ts";

/** A usage report may leave out tokens that frame a prompt, and a charge may be rounded up: a share of what was used, and some tokens. */
const share = 0.25;
const leastExcess = 64;

/**
 * Any two readings without a refusal or an unreported answer in between: remaining fell by more than all requests that can have
 * been charged since the first one used. Refills, sliding and ends of windows meanwhile only raise it. O(n squared), of some
 * dozen requests.
 */
export function checkOvercharge(
  ops: readonly LimitOp[],
  head: CheckHead,
  { step, tolerances }: { readonly step: number; readonly tolerances: Tolerances },
): Check | null {
  const readings = ops.filter((op) => op.outcome === "admitted" && op.tokens.remaining !== null && Number.isFinite(op.endMs));
  for (const [index, last] of readings.entries()) {
    for (const first of readings.slice(0, index)) {
      const charged = ops.filter((op) => op.endMs + chargeDelayMs >= first.sentMs && op.sentMs <= last.headersMs);
      if (first.endMs > last.sentMs || charged.some((op) => op.outcome !== "admitted" || op.usedTokens === null)) continue;
      const used = charged.reduce((sum, op) => sum + op.usedTokens!, 0);
      // Tokens that are held for an answer are given back when it has ended.
      const open = charged.filter((op) => op.endMs + chargeDelayMs >= last.sentMs);
      const held = open.reduce((sum, op) => sum + op.usedTokens! + (op.maxTokens ?? 0), 0);
      const leaving = heldLeavingBetween(ops, first, last, tolerances);
      const slack = Math.ceil(Math.max(leastExcess, share * used)) + held + leaving + step;
      const fell = first.tokens.remaining! - last.tokens.remaining!;
      if (fell <= used + slack) continue;
      const seconds = ((last.headersMs - first.sentMs) / 1000).toFixed(1);
      return accused(head, charged.length, "fail", {
        kind: "token-overcharge",
        message: `remaining tokens fell by ${fell} from #${first.seq} to #${last.seq}, ${seconds} s apart; all ${charged.length} requests that can have been charged meanwhile report ${used} tokens together`,
        rule: "Remaining tokens fall by what the requests in between report as their usage.",
        spec: "Limits > Rate limits (x-ratelimit-remaining-tokens)",
        ops: [first, ...charged.filter((op) => op !== first && op !== last), last],
        parameters: { used, fell, slack },
        correct: `remaining tokens lower by ${used + slack} at most`,
        expected: `at most ${used + slack}`,
        observed: String(fell),
      });
    }
  }
  return null;
}
