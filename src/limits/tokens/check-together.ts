import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../verdict/check.ts";
import { certainlyCharged } from "../history/certainly-charged.ts";
import type { ClockOffset } from "../history/clock-offset.ts";
import { mostRefill } from "./most-refill.ts";
import { leavingBetween } from "./leaving-between.ts";
import { describeFall } from "./describe-fall.ts";
import type { TokenReadings } from "./token-readings.ts";
import type { LimitOp, OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";

const head: CheckHead = checkHead("tokens.lost-updates", 3);

/** Requests under way at once, below which none can have lost the charge of another. */
const fewestTogether = 3;

/**
 * Simultaneous requests between two readings: remaining falls by what all of them used, less what can have come back meanwhile:
 * the average rate, and what was used a window ago.
 */
export function checkTogether(
  ops: readonly OpOf<"tokens">[],
  { step, lump, mayHaveEnded }: TokenReadings,
  tolerances: Tolerances,
  offset: ClockOffset | null,
): Check {
  const together = ops.filter((op) => op.phase === "together" && op.outcome === "admitted");
  const before = ops.findLast(
    (op) => op.phase === "reading" && op.outcome === "admitted" && op.endMs <= (together[0]?.sentMs ?? 0),
  );
  const after = ops.find((op) => op.phase === "together-after" && op.outcome === "admitted");
  const limit = before?.tokens.limit ?? null;
  const read = [before, after].every((op) => op !== undefined && op.tokens.remaining !== null);
  if (!before || !after || limit === null || !read) return inconclusive(head, 0, "no readings around simultaneous requests");
  const complete = ops
    .filter((op) => op.sentMs >= before.sentMs && op.sentMs <= after.sentMs)
    .every((op) => Number.isFinite(op.endMs) && (op.outcome !== "admitted" || op.usedTokens !== null));
  if (!complete) return inconclusive(head, together.length, "not every answer came with its usage");
  const atOnce = Math.max(
    0,
    ...together.map((op) => together.filter((one) => one.sentMs <= op.sentMs && one.headersMs > op.sentMs).length),
  );
  if (atOnce < fewestTogether) return inconclusive(head, together.length, `at most ${atOnce} of them were under way at once`);
  if (offset === null || mayHaveEnded(before, after)) {
    return inconclusive(head, together.length, "the token window may have ended between the two readings");
  }
  const slackMs = tolerances.granularityMs + tolerances.fuzzMs;
  const leaving = leavingBetween(ops, before, after, tolerances);
  // A label that stays is that of a window, or of a count that gave nothing back.
  const batch = before.tokens.resetMs === after.tokens.resetMs ? 0 : lump;
  const refill = mostRefill(limit, { fromMs: before.sentMs, untilMs: after.headersMs, slackMs }, tolerances) + batch + leaving;
  const used = together.reduce((sum, op) => sum + certainlyCharged(op), 0);
  // Each reading counts itself or not, the same way both times, and may differ by as much as its own usage; zero is the lowest.
  const slack = refill + step + 2 + differenceOf(before, after);
  const due = Math.min(used, before.tokens.remaining!) - slack;
  const fell = before.tokens.remaining! - after.tokens.remaining!;
  if (due <= 0)
    return inconclusive(
      head,
      together.length,
      `${used} tokens are too few to distinguish from what may have come back (${slack})`,
    );
  if (fell >= due)
    return passed(
      head,
      together.length,
      `${together.length} simultaneous requests used ${used} tokens, and remaining ${describeFall(fell)}`,
    );
  return accused(head, together.length, "fail", {
    kind: "token-sum",
    message: `${together.length} simultaneous requests used ${used} tokens, but remaining tokens ${describeFall(fell)} from #${before.seq} to #${after.seq}; at most ${slack} can have come back meanwhile`,
    rule: "Remaining tokens fall by what all requests in between used, also when they come together.",
    spec: "Limits > Rate limits (x-ratelimit-remaining-tokens)",
    ops: [before, ...together, after],
    parameters: { used, fell, refill: slack },
    correct: `remaining tokens lower by at least ${due}`,
    expected: `at least ${due}`,
    observed: String(fell),
  });
}

/** By how much the charges of two readings may differ. */
function differenceOf(before: LimitOp, after: LimitOp): number {
  const most = Math.max(before.usedTokens ?? 4, after.usedTokens ?? 4);
  return most - Math.min(certainlyCharged(before, 4), certainlyCharged(after, 4));
}
