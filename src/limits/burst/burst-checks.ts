import { accused, inconclusive, notApplicable, passed, type Check, checkHead } from "../verdict/check.ts";
import { answeredFromMs, type LimitOp, describeSpan } from "../history/op.ts";
import type { BurstView } from "./burst-view.ts";
import { heldMs, leastHeldMs } from "./held-ms.ts";
import { findHeldTooLong } from "./held-too-long.ts";
import { heldWords, holdsBeyond } from "./holds-beyond.ts";
import { readAdmission } from "./read-admission.ts";

const spec = "Limits > Burst and cooldown";

/**
 * Whether its own headers say that the request or token limit is used up, which may be lower than the allowance (section "Rate
 * limits").
 */
export function speaksOfAnotherLimit({ outcome, cause }: LimitOp): boolean {
  return outcome === "rejected" && (cause === "requests" || cause === "tokens");
}

export function checkAdmission(view: BurstView): Check {
  const own = checkHead("burst.over-admission");
  const considered = view.rounds.reduce((sum, round) => sum + (round.earliestMs === null ? 0 : round.ops.length), 0);
  const admission = readAdmission(view.rounds, view);
  if (admission.kind === "unused") return inconclusive(own, 0, "the allowance was never used up");
  if (admission.kind === "within") {
    const { excused } = admission;
    if (excused === null) return passed(own, considered, `${considered} requests: nothing was served too early`);
    const message = `${considered} requests: ${excused.early.length} sent one by one were served in the place of ${view.burst} once (#${excused.early[0]!.seq}): a minute of the clock that began in between explains it, and at another instant of the minute the allowance held, one by one as well`;
    return passed(own, considered, message);
  }
  const { early, refill, earliestMs, untilMs } = admission.excess;
  if (admission.kind === "open") {
    const message = `${early.length} requests were served in the place of ${view.burst}: a minute of the clock that began in between would explain it`;
    return inconclusive(own, considered, message);
  }
  // Later rounds of that exam follow a change that was made alone.
  const isSetAtOnce = view.isSetAtOnce && admission.round.kind === "volley";
  const first = early[view.burst + refill]!;
  return accused(own, considered, "fail", {
    kind: "burst-over",
    message: `${early.length} requests of key ${view.key} (#${early[0]!.seq} to #${early.at(-1)!.seq}) were served within ${describeSpan(early)}; the allowance is ${view.burst} a minute${refill > 0 ? `, of which ${refill} may have come back meanwhile,` : ""} and the cooldown that follows lasts ${view.cooldownMs / 1000} s${isSetAtOnce ? ", both set at the same moment by two changes" : ""}. #${first.seq} was served ${((untilMs - first.headersMs) / 1000).toFixed(1)} s before that cooldown can have been over. A correct service serves ${view.burst + refill} of them and answers the others 429, or holds them until then`,
    rule: "After the allowance is used up nothing is served until the cooldown is over.",
    spec,
    ops: early,
    parameters: { burst: view.burst, cooldownMs: view.cooldownMs, refill, untilMs, earliestMs, rounds: admission.rounds },
    lawfulAlternative: "429, or an answer after the cooldown",
    expected: `at most ${view.burst + refill} admitted`,
    observed: `${early.length} admitted`,
  });
}

export function checkResume(view: BurstView): Check {
  const own = checkHead("burst.cooldown-too-long");
  let considered = 0;
  for (const round of view.rounds) {
    if (round.latestMs === null) continue;
    const dueMs = round.latestMs + Math.max(view.cooldownMs, view.tolerances.windowMs) * 1.05 + view.tolerances.granularityMs;
    const late = round.ops.find((op) => op.sentMs > dueMs);
    if (!late) continue;
    considered += 1;
    const other = round.admitted.some((op) => op !== late && op.headersMs > round.latestMs! + 1 && op.sentMs < late.headersMs);
    // Attempts within the cooldown that prolong it are another matter, reported by the round without attempts.
    const excused = round.kind === "volley" && view.rounds.some(({ kind, ops }) => kind === "sequential" && ops.length > 0);
    if (late.outcome !== "rejected" || other || excused) continue;
    return accused(own, considered, "fail", {
      kind: "burst-long",
      message: `#${late.seq} was sent ${((late.sentMs - round.latestMs) / 1000).toFixed(1)} s after the cooldown of ${view.cooldownMs / 1000} s had begun, nothing was served in between, and it was refused with 429. A correct service serves it: both the cooldown and the minute of the allowance were over`,
      rule: "Service resumes when cooldown_seconds have passed since the allowance was used up.",
      spec,
      ops: [late],
      parameters: { cooldownMs: view.cooldownMs, latestMs: round.latestMs, dueMs },
      lawfulAlternative: `#${late.seq} is served`,
      expected: "served",
      observed: "429",
    });
  }
  const held = findHeldTooLong(view);
  if (held.wrong === null)
    return passed(
      own,
      considered + held.considered,
      `${considered + held.considered} requests were served when the cooldown was over`,
    );
  const { op, lastAttemptMs, dueMs } = held.wrong;
  const answered = (leastHeldMs(op) / 1000).toFixed(1);
  return accused(own, considered + held.considered, "fail", {
    kind: "burst-held",
    message: `#${op.seq} was held back for ${answered} s, and of all that was held it is the first that was answered. The cooldown of ${view.cooldownMs / 1000} s had begun when it came; even if each attempt begins it anew, it was over ${((answeredFromMs(op) - dueMs) / 1000).toFixed(1)} s before. A correct service answers it by then`,
    rule: "A request that is queued during the cooldown is answered when cooldown_seconds have passed.",
    spec,
    ops: [op],
    parameters: { cooldownMs: view.cooldownMs, burst: view.burst, lastAttemptMs, dueMs },
    lawfulAlternative: `#${op.seq} is answered ${((dueMs - op.sentMs) / 1000).toFixed(1)} s after it was sent, at the latest`,
    expected: "answered when the cooldown is over",
    observed: `answered after ${answered} s`,
  });
}

export function checkAllowance(view: BurstView): Check {
  const own = checkHead("burst.under-admission");
  const judged = [...view.rounds.map((round) => round.ops), view.below].filter((ops) => ops.length > 0);
  let considered = 0;
  let stalled: LimitOp | null = null;
  for (const ops of judged) {
    for (const op of ops) {
      considered += 1;
      const noticeableMs = Math.min(view.cooldownMs, view.tolerances.windowMs) / 2;
      const held = op.outcome === "admitted" && heldMs(op) > noticeableMs;
      if ((op.outcome !== "rejected" && !held) || speaksOfAnotherLimit(op)) continue;
      // Everything that may have used the allowance within a minute and a cooldown before it was refused or held.
      const sinceMs = op.sentMs - view.tolerances.windowMs - view.cooldownMs - view.tolerances.granularityMs;
      const reachMs = op.outcome === "rejected" ? op.headersMs : op.sentMs + 3000;
      const others = view.ops.filter(
        (other) => other !== op && other.headersMs >= sinceMs && other.sentMs <= reachMs && other.outcome !== "rejected",
      ).length;
      if (others >= view.burst || !view.exclusive) continue;
      if (op.outcome !== "rejected" && (leastHeldMs(op) <= noticeableMs || view.isStall(op))) {
        stalled = op;
        continue;
      }
      return accused(own, considered, "fail", {
        kind: "burst-under",
        message: `#${op.seq} was ${op.outcome === "rejected" ? "refused with 429" : `held back for ${(leastHeldMs(op) / 1000).toFixed(1)} s`} although at most ${others} other requests of the key can have been counted in the ${((op.sentMs - sinceMs) / 1000).toFixed(0)} s before it, a minute and a cooldown; the allowance is ${view.burst}. A correct service serves it at once`,
        rule: "Up to burst_limit requests a minute are served without refusal or delay.",
        spec,
        ops: [op],
        parameters: {
          burst: view.burst,
          others,
          sinceMs,
          reachMs,
          windowMs: view.tolerances.windowMs,
          cooldownMs: view.cooldownMs,
          granularityMs: view.tolerances.granularityMs,
        },
        lawfulAlternative: `#${op.seq} is served at once`,
        expected: "served",
        observed: op.outcome === "rejected" ? "429" : `answered after ${(leastHeldMs(op) / 1000).toFixed(1)} s`,
      });
    }
  }
  // Another round without a stall shows what this one does not.
  const isShown = judged.some((ops) => {
    const atOnce = ops.filter((op) => op.outcome === "admitted" && heldMs(op) <= view.cooldownMs / 4);
    return !ops.includes(stalled!) && atOnce.length >= view.burst;
  });
  if (stalled !== null && !isShown) {
    const waited = (heldMs(stalled) / 1000).toFixed(1);
    return inconclusive(own, considered, `#${stalled.seq} waited ${waited} s, and so did the whole service or the instrument`);
  }
  return passed(own, considered, `${considered} requests: none was refused below the allowance of ${view.burst}`);
}

/**
 * The requests of a round are alike: where the allowance is served and another one gets a 4xx that is no 429, that is its refusal.
 * A 5xx may be an accident: only several, and none while the allowance lasts, are the service's way to refuse.
 */
export function checkRefusalStatus(view: BurstView): Check {
  const own = checkHead("burst.refusal-status");
  const alike = view.rounds.flatMap((round) => {
    const served = round.ops.filter(({ endpoint, outcome }) => endpoint === "models" && outcome === "admitted");
    return served.length < view.burst
      ? []
      : round.ops.filter(({ endpoint, outcome, status }) => endpoint === "models" && outcome !== "admitted" && status !== null);
  });
  const other = alike.filter(({ outcome }) => outcome === "other");
  const failing = alike.filter(({ status }) => status !== null && status >= 500);
  const failedElsewhere = [...view.below, ...view.otherKeyOps].some(({ status }) => status !== null && status >= 500);
  const wrong = other.length > 0 ? other : failing.length > 1 && !failedElsewhere ? failing : [];
  const [first] = wrong;
  if (first === undefined) {
    if (failing.length > 0) return inconclusive(own, alike.length, `${failing.length} requests failed with a server error`);
    if (alike.length === 0 && holdsBeyond(view)) return notApplicable(own, 0, heldWords);
    return alike.length === 0
      ? inconclusive(own, 0, "nothing was refused beyond the allowance")
      : passed(own, alike.length, `${alike.length} requests beyond the allowance were answered 429`);
  }
  return accused(own, alike.length, "fail", {
    message: `${wrong.length} ${wrong.length === 1 ? "request was" : "requests were"} answered ${first.status} (#${first.seq}) beyond the allowance of ${view.burst} or in its cooldown; the same requests within the allowance were served, so that this is how the service refuses. A correct one answers 429, or holds them until the cooldown is over`,
    rule: "A request beyond the burst allowance is queued or answered 429.",
    spec,
    ops: wrong,
    parameters: { status: first.status },
    lawfulAlternative: "429 with error.code, or an answer after the cooldown",
    expected: "429",
    observed: String(first.status),
  });
}
