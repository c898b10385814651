import { cameAlone } from "../answers/claims.ts";
import {
  accused,
  inconclusive,
  passed,
  type Check,
  type CheckHead,
  checkHead,
  describeUnattributed,
} from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import { coarsestBatchMs } from "../../history/tolerances.ts";
import type { LimitOp } from "../../history/op.ts";
import { roundingOf } from "../../history/rounding.ts";
import { countBelow } from "../../../core/sorted.ts";

const spec = "Limits > Rate limits (x-ratelimit-limit-requests)";

const underHead: CheckHead = checkHead("limits.under-admission");

/**
 * A rejection with too few possible consumers behind it. Two strengths: nothing at all was sent in two whole windows, which no
 * lawful limiter rejects; or fewer than the limit in two windows and at a pace that no smoothing of bursts refuses.
 */
export function checkUnderAdmission(view: GroupView): Check {
  const { limit, tolerances, rejected } = view;
  const judged = rejected.filter((op) => view.judgesRejection(op));
  if (limit === null) return inconclusive(underHead, 0, "no readable limit");
  if (judged.length === 0) return inconclusive(underHead, 0, describeUnattributed(view.rejected));
  if (!view.exclusive)
    return inconclusive(underHead, judged.length, "the key is not declared exclusive: others may have used the allowance");
  const fullestBefore = createFullestBefore(view);
  for (const op of judged) {
    const fromMs = op.sentMs - 2 * tolerances.windowMs - tolerances.granularityMs - tolerances.fuzzMs;
    // The history must reach back that far, or what was sent before it could explain the rejection.
    const possible = view.contenders.possible(fromMs, op.headersMs) - 1;
    if (!historyReaches(view, fromMs) || possible >= limit) continue;
    const refused = {
      rule: "A request is rejected only when the allowance of the window is used up.",
      spec,
      ops: [op],
      parameters: { limit, fromMs, possible, windowMs: tolerances.windowMs },
      lawfulAlternative: "the request is admitted",
      expected: "admitted",
      observed: `429 after ${possible} requests in the two windows before`,
    };
    if (possible === 0) {
      return accused(underHead, judged.length, "fail", {
        ...refused,
        kind: "under-admission",
        message: `#${op.seq} was refused with 429 although nothing had been sent for two whole windows (${(2 * tolerances.windowMs) / 1000} s). A correct limiter of any kind admits it`,
      });
    }
    const seen = fullestBefore(fromMs);
    if (seen !== null && possible < seen.requests.remaining! - 2 && cameAlone(view, op, limit)) {
      return accused(underHead, judged.length, "fail", {
        ...refused,
        kind: "under-admission-by-reading",
        message: `#${op.seq} was refused with 429 although at most ${possible} requests can have been counted in the two windows before; #${seen.seq} had shown ${seen.requests.remaining} remaining, so that the allowance holds as many. A correct limiter of any kind admits it`,
        rule: "What was used in windows that are over is not used up any more.",
        ops: [op, seen],
      });
    }
    if (!cameAtPace(view, op, limit)) continue;
    return accused(underHead, judged.length, "fail", {
      ...refused,
      kind: "under-admission-at-pace",
      message: `#${op.seq} was refused with 429 although only ${possible} of ${limit} requests can have been counted in the two windows before, so far apart that no bucket of that rate was empty. A correct limiter of any kind admits it`,
      parameters: { ...refused.parameters, batchMs: coarsestBatchMs, fuzzMs: tolerances.fuzzMs },
    });
  }
  return passed(underHead, judged.length, `${judged.length} rejections, each with requests that may have used the allowance`);
}

/**
 * The request before `fromMs` that saw most remaining. Over two windows a bucket of that capacity gets back all of it and as much
 * again, and only what was taken since is missing.
 */
function createFullestBefore({ admitted, answered, limit }: GroupView): (fromMs: number) => LimitOp | null {
  if (roundingOf(admitted, limit!) > 1) return () => null;
  const reading = answered.filter(
    ({ outcome, requests }) => outcome === "admitted" && requests.limit === limit && requests.remaining !== null,
  );
  let best: LimitOp | null = null;
  // Of equals the one that was sent first.
  const isFuller = (op: LimitOp, than: LimitOp): boolean =>
    op.requests.remaining === than.requests.remaining
      ? op.sentMs < than.sentMs
      : op.requests.remaining! > than.requests.remaining!;
  const fullest = reading.map((op) => (best = best === null || isFuller(op, best) ? op : best));
  const ends = reading.map(({ headersMs }) => headersMs);
  return (fromMs) => fullest[countBelow(ends, fromMs) - 1] ?? null;
}

/**
 * Whether the requests before `op` left room in every bucket of the average rate, however small and however coarsely it refills: the
 * last refill before `op`, at most a batch ago, brought what the rate grants for its span; the k requests since then used k.
 */
function cameAtPace(view: GroupView, op: LimitOp, limit: number): boolean {
  const { windowMs, rateRatio, fuzzMs, granularityMs } = view.tolerances;
  const rate = (limit / windowMs) * (1 - rateRatio);
  // If a batch brings less than one request, one more batch is needed.
  const reachMs = coarsestBatchMs + 1 / rate + granularityMs + fuzzMs;
  const others = view.contenders.possible(op.sentMs - reachMs, op.headersMs) - 1;
  // The oldest of them came as long ago as they reach, at most.
  if (others + 1 > rate * reachMs) return false;
  const since = [...view.ops, ...view.disguised].filter(
    (other) => other !== op && other.sentMs <= op.headersMs && other.headersMs >= op.sentMs - reachMs,
  );
  const gapsMs = since.map((other) => op.sentMs - other.headersMs - fuzzMs).sort((a, b) => a - b);
  return gapsMs.every((gapMs, index) => gapMs > 0 && rate * gapMs >= index + 2);
}

/**
 * The limiter decided something of this key before `fromMs`: silence afterwards is known and not assumed, and a bucket that begins
 * empty has been created.
 */
function historyReaches(view: GroupView, fromMs: number): boolean {
  const first = view.ops.find((op) => op.outcome === "admitted" || op.outcome === "rejected");
  return first !== undefined && first.sentMs < fromMs;
}
