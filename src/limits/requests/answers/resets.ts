import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";

const spec = "Limits > Rate limits (x-ratelimit-reset-requests)";
const dayMs = 86_400_000;

const formatHead: CheckHead = checkHead("limits.reset-format");

export function checkResetFormat(view: GroupView): Check {
  const labelled = view.ops.filter((op) => op.requests.resetFormat !== null);
  if (labelled.length === 0) return inconclusive(formatHead, 0, "no reset header could be read");
  const wrong = labelled.find((op) => op.requests.resetFormat !== "unix-seconds");
  if (!wrong) return passed(formatHead, labelled.length, `${labelled.length} labels are Unix seconds`);
  // A fraction still is a Unix time in seconds (AMB-11).
  const fraction = wrong.requests.resetFormat === "unix-seconds-fraction";
  return accused(formatHead, labelled.length, fraction ? "advisory" : "fail", {
    kind: "reset-format",
    message: `x-ratelimit-reset-requests is written as ${wrong.requests.resetFormat}, not as Unix seconds`,
    rule: "The reset header names an instant as Unix time in whole seconds.",
    spec,
    ops: [wrong],
    parameters: { format: wrong.requests.resetFormat },
    correct: "the same instant as a decimal number of seconds since 1970",
    expected: "Unix seconds",
    observed: String(wrong.requests.resetFormat),
  });
}

const truthHead: CheckHead = checkHead("limits.reset-past", 3);

/** Labels against the Date of the same service, so that our own clock plays no part. */
export function checkResetTruth(view: GroupView): Check {
  const { offset, tolerances } = view;
  const labelled = view.ops.filter((op) => op.requests.resetMs !== null && isInstant(op));
  if (offset === null || offset.split) return inconclusive(truthHead, 0, "the Date headers give no single clock to compare with");
  for (const op of labelled) {
    const resetMs = op.requests.resetMs!;
    const behindMs = op.sentMs + offset.lowMs - (resetMs + tolerances.granularityMs + tolerances.clockMs);
    if (behindMs > 0)
      return accuseReset(view, op, "past", behindMs + tolerances.granularityMs + tolerances.clockMs, labelled.length);
    const aheadMs = resetMs - tolerances.granularityMs - tolerances.clockMs - (op.headersMs + offset.highMs);
    if (aheadMs > dayMs) return accuseReset(view, op, "far", aheadMs, labelled.length);
  }
  return passed(truthHead, labelled.length, `${labelled.length} labels lie ahead of the service's own clock`);
}

function isInstant(op: LimitOp): boolean {
  return op.requests.resetFormat !== "delta-seconds" && op.requests.resetFormat !== "duration";
}

function accuseReset(view: GroupView, op: LimitOp, side: "past" | "far", byMs: number, considered: number): Check {
  const seconds = (byMs / 1000).toFixed(1);
  return accused(truthHead, considered, "fail", {
    kind: side === "past" ? "reset-past" : "reset-far",
    message:
      side === "past"
        ? `#${op.seq} names a reset that was over ${seconds} s before the request was sent, by the field Date and by the clock here`
        : `#${op.seq} names a reset more than a day ahead (${seconds} s)`,
    rule: "The reset header names the instant at which the current window ends.",
    spec,
    ops: [op],
    parameters: {
      resetMs: op.requests.resetMs,
      offsetLowMs: view.offset!.lowMs,
      offsetHighMs: view.offset!.highMs,
      granularityMs: view.tolerances.granularityMs,
      clockMs: view.tolerances.clockMs,
    },
    correct: "an instant between now and the end of the window",
    expected: "a reset ahead of the response",
    observed: side === "past" ? `${seconds} s in the past` : `${seconds} s ahead`,
  });
}

const farHead: CheckHead = checkHead("limits.reset-too-far", 3);

export function checkResetDistance(view: GroupView): Check {
  const { offset, tolerances } = view;
  const labelled = view.ops.filter((op) => op.requests.resetMs !== null);
  if (offset === null || offset.split) return inconclusive(farHead, 0, "the Date headers give no single clock to compare with");
  const reachMs = tolerances.windowMs + 2 * tolerances.granularityMs + tolerances.clockMs;
  const far = labelled.find((op) => op.requests.resetMs! - (op.headersMs + offset.highMs) > reachMs);
  if (!far) return passed(farHead, labelled.length, `${labelled.length} labels are within one window`);
  const seconds = ((far.requests.resetMs! - far.headersMs - offset.highMs) / 1000).toFixed(1);
  return accused(farHead, labelled.length, "advisory", {
    kind: "reset-distance",
    message: `#${far.seq} names a reset ${seconds} s ahead; the window is ${tolerances.windowMs / 1000} s`,
    rule: "With limits per minute a window ends within a minute.",
    spec,
    ops: [far],
    parameters: { resetMs: far.requests.resetMs, offsetHighMs: offset.highMs, reachMs },
    correct: `at most ${tolerances.windowMs / 1000} s ahead, unless the target declares a longer window`,
    lawfulAlternative: "a longer window, if the target declares one",
    expected: `at most ${tolerances.windowMs / 1000} s ahead`,
    observed: `${seconds} s ahead`,
  });
}

const monotoneHead: CheckHead = checkHead("limits.reset-moved-back", 3);

export function checkResetOrder(view: GroupView): Check {
  const isLabelled = (op: LimitOp): boolean => op.requests.resetMs !== null && op.requests.limit === view.limit && isInstant(op);
  const labelled = view.ops.filter(isLabelled);
  const slackMs = view.tolerances.granularityMs + view.tolerances.fuzzMs;
  const answered = view.answered.filter(isLabelled);
  let next = 0;
  let highest: LimitOp | null = null;
  for (const op of labelled) {
    while (next < answered.length && answered[next]!.headersMs < op.sentMs) {
      const earlier = answered[next++]!;
      if (highest === null || earlier.requests.resetMs! > highest.requests.resetMs!) highest = earlier;
    }
    if (highest === null || op.requests.resetMs! >= highest.requests.resetMs! - slackMs) continue;
    const backMs = highest.requests.resetMs! - op.requests.resetMs!;
    return accused(monotoneHead, labelled.length, "advisory", {
      kind: "reset-order",
      message: `the reset moved back by ${(backMs / 1000).toFixed(1)} s from #${highest.seq} to #${op.seq}`,
      rule: "A later response does not name an earlier reset.",
      spec,
      ops: [highest, op],
      parameters: { slackMs },
      correct: `not before ${highest.requests.resetMs! / 1000}`,
      lawfulAlternative: "a label whose meaning depends on the request, which the specification does not provide for",
      expected: `not before ${highest.requests.resetMs! / 1000}`,
      observed: String(op.requests.resetMs! / 1000),
    });
  }
  return passed(monotoneHead, labelled.length, `${labelled.length} labels never move backwards`);
}

const renewalHead: CheckHead = checkHead("limits.reset-not-kept");

/**
 * After a stated reset at least one request must pass if nobody can have used the renewed allowance. True of every meaning of a
 * label that lay ahead when it was given, save one: the window of a sliding counter ends there, but still weighs on the next. That,
 * and a label that names the present, as a sliding log may beside its last slot, announces no renewal: beside a later refusal it
 * misleads, and is reported as advice.
 */
export function checkRenewal(view: GroupView): Check {
  const { offset, tolerances } = view;
  if (offset === null || offset.split)
    return inconclusive(renewalHead, 0, "the Date headers give no single clock to compare with");
  const marginMs = tolerances.granularityMs + tolerances.clockMs + tolerances.fuzzMs;
  const answered = view.answered.filter((op) => op.requests.resetMs !== null && isInstant(op));
  let considered = 0;
  let next = 0;
  let last: LimitOp | null = null;
  for (const op of view.ops) {
    while (next < answered.length && answered[next]!.headersMs < op.sentMs) last = answered[next++]!;
    if (last === null) continue;
    const lateMs = op.sentMs + offset.lowMs - last.requests.resetMs!;
    // A refusal soon after the reset may be a matter of clocks; who is admitted there after a refusal has seen the renewal. Date, cut to
    // seconds as the label is, says so where the clocks here are known worse.
    const isAfter = lateMs > 0 || (op.dateMs !== null && op.dateMs >= last.requests.resetMs!);
    const cameBack = isAfter && op.outcome === "admitted" && last.outcome === "rejected" && view.judgesRejection(last);
    if (lateMs <= marginMs && !cameBack) continue;
    // Nobody else between the two: the latest label seen, and no request that overlaps the pair.
    if (view.contenders.possible(last.sentMs, op.headersMs) > 2) continue;
    considered += 1;
    if (op.outcome !== "rejected" || !view.judgesRejection(op) || !view.exclusive) continue;
    const overMs = op.sentMs + offset.lowMs - last.requests.resetMs! - marginMs;
    const ahead = last.requests.resetMs! - marginMs > last.headersMs + offset.highMs && !mayCarryOver(view, last, overMs);
    return accused(renewalHead, considered, ahead ? "fail" : "advisory", {
      kind: "reset-broken",
      message: `#${last.seq} named ${last.requests.resetMs! / 1000} as the reset; #${op.seq} was sent after it, nothing came in between, and it was refused with 429. A correct limiter of any kind admits it, or names a later reset`,
      rule: "At the stated reset the allowance is renewed.",
      spec,
      ops: [last, op],
      parameters: {
        limit: view.limit,
        resetMs: last.requests.resetMs,
        offsetLowMs: offset.lowMs,
        offsetHighMs: offset.highMs,
        granularityMs: tolerances.granularityMs,
        marginMs,
      },
      lawfulAlternative: `#${op.seq} is admitted`,
      expected: "admitted",
      observed: "429",
    });
  }
  return passed(renewalHead, considered, `${considered} requests after a stated reset were admitted`);
}

/**
 * Whether a sliding counter whose window ended at the label may still be full `overMs` later: everything that it can have counted
 * in that window, rejections included, by the share of it that still weighs.
 */
function mayCarryOver(view: GroupView, labelled: LimitOp, overMs: number): boolean {
  const { limit, tolerances, offset } = view;
  const slackMs = 2 * (tolerances.granularityMs + tolerances.clockMs + tolerances.fuzzMs);
  const fromMs = labelled.requests.resetMs! - tolerances.windowMs - slackMs - offset!.highMs;
  if (limit === null || view.knownFromMs > fromMs) return true;
  const counted = view.contenders.possible(fromMs, labelled.headersMs);
  return Math.max(0, 1 - overMs / tolerances.windowMs) * counted > limit - 1;
}
