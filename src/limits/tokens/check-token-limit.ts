import { describeOvershoot } from "../../core/result/describe-overshoot.ts";
import type { Overshoot } from "../../core/result/limits-result.ts";
import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../verdict/check.ts";
import { certainlyCharged } from "../history/certainly-charged.ts";
import type { LimitOp, OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { isTokenRefusal } from "./check-token-refusals.ts";
import { mostRefill } from "./most-refill.ts";
import { measureOvershoot } from "./measure-overshoot.ts";

const head: CheckHead = checkHead("tokens.over-admission");
const spec = "Limits > Rate limits (x-ratelimit-remaining-tokens)";
const rule = "A request is refused when the tokens of the window are used up.";

/** Counts only tokens of answers that had ended before the next request was sent: charging at the end overshoots lawfully. */
export function checkTokenLimit(ops: readonly OpOf<"tokens">[], tolerances: Tolerances): Check {
  const overshoot = measureOvershoot(ops);
  return withOvershoot(judgeTokenLimit(ops, tolerances), overshoot);
}

/** The check with that figure, and with its words where it does not accuse. */
export function withOvershoot(check: Check, overshoot: Overshoot | null): Check {
  if (overshoot === null) return check;
  const message = check.certificate === null ? `${check.message}; ${describeOvershoot(overshoot)}` : check.message;
  return { ...check, message, overshoot };
}

function judgeTokenLimit(ops: readonly OpOf<"tokens">[], tolerances: Tolerances): Check {
  const limit = ops.find((op) => op.tokens.limit !== null)?.tokens.limit ?? null;
  const exhaust = ops.filter((op) => op.phase === "exhaust");
  if (limit === null || exhaust.length === 0) return inconclusive(head, 0, "the token limit was not approached");
  // A request that needs more tokens than remain is refused while some remain.
  const refused = ops.find(isTokenRefusal);
  for (const late of exhaust.filter((op) => op.outcome === "admitted")) {
    const window = ops.filter(
      (op) => op.tokens.resetMs === late.tokens.resetMs && op.endMs + chargeDelayMs < late.sentMs && op.outcome === "admitted",
    );
    const first = window[0];
    if (!first) continue;
    const used = window.reduce((sum, op) => sum + certainlyCharged(op), 0);
    const refill = mostRefill(
      limit,
      { fromMs: first.sentMs, untilMs: late.headersMs, slackMs: tolerances.granularityMs },
      tolerances,
    );
    if (used < limit + refill) continue;
    return accuseLate(exhaust.length, { window, late, used, limit, refill });
  }
  const twice = findTwice(exhaust, limit, tolerances);
  if (twice !== null) {
    const { row, used } = twice;
    const seconds = ((row.at(-1)!.headersMs - row[0]!.sentMs) / 1000).toFixed(1);
    return accused(head, exhaust.length, "fail", {
      kind: "token-limit",
      message: `${row.length} requests, one after another within ${seconds} s, used ${used} tokens before #${row.at(-1)!.seq}, which was admitted as well. With a limit of ${limit} tokens even two windows that touch admit no more than twice that and the last request of each`,
      rule,
      spec,
      ops: row,
      parameters: { used, limit, refill: 0 },
      correct: "429",
      expected: "429",
      observed: String(row.at(-1)!.status),
    });
  }
  return refused
    ? passed(head, exhaust.length, `refused at the token limit of ${limit} (#${refused.seq})`)
    : inconclusive(head, exhaust.length, "the token limit was not reached");
}

/** A request that was admitted although answers that had ended long before had used up the tokens of its window. */
export interface LateAdmission {
  readonly window: readonly LimitOp[];
  readonly late: LimitOp;
  readonly used: number;
  readonly limit: number;
  /** The most that can have come back since the first of them. */
  readonly refill: number;
}

export function accuseLate(considered: number, { window, late, used, limit, refill }: LateAdmission): Check {
  return accused(head, considered, "fail", {
    kind: "token-limit",
    message: `#${late.seq} was admitted after ${used} tokens in the same window; the limit is ${limit}`,
    rule,
    spec,
    ops: [...window, late],
    parameters: { used, limit, refill },
    correct: "429",
    expected: "429",
    observed: String(late.status),
  });
}

/** Requests one after another within one window, of which those charged before the last used more than two windows hold. */
function findTwice(
  exhaust: readonly LimitOp[],
  limit: number,
  { windowMs, granularityMs }: Tolerances,
): { readonly row: readonly LimitOp[]; readonly used: number } | null {
  const admitted = exhaust.filter((op) => op.outcome === "admitted");
  const late = admitted.at(-1);
  if (late === undefined) return null;
  const row = admitted.filter(
    (op) => op !== late && op.endMs + chargeDelayMs < late.sentMs && op.sentMs > late.headersMs - windowMs + granularityMs,
  );
  const used = row.reduce((sum, op) => sum + certainlyCharged(op), 0);
  const most = Math.max(0, ...row.map((op) => op.usedTokens ?? 0));
  return used > 2 * (limit + most) ? { row: [...row, late], used } : null;
}
