import { accused, inconclusive, passed, type Check, checkHead } from "../verdict/check.ts";
import { type LimitOp, describeSpan } from "../history/op.ts";
import { findExcess, findExcusingBoundaries, haveCommonAlignment, servedInCooldown } from "./burst-excess.ts";
import type { BurstRound, BurstView } from "./burst-view.ts";
import { findHeldTooLong } from "./held-too-long.ts";

const spec = "Limits > Burst and cooldown";

/** A queued request is admitted when it is answered, so that answers and not send instants are counted. */
function heldMs(op: LimitOp): number {
  return op.headersMs - op.sentMs;
}

/**
 * Whether its own headers say that the request or token limit is used up, which may be lower than the allowance (section "Rate
 * limits").
 */
export function speaksOfAnotherLimit({ outcome, cause }: LimitOp): boolean {
  return outcome === "rejected" && (cause === "requests" || cause === "tokens");
}

export function checkAdmission(view: BurstView): Check {
  const own = checkHead("burst.over-admission");
  if (view.rounds.every((round) => round.earliestMs === null)) return inconclusive(own, 0, "the allowance was never used up");
  const considered = view.rounds.reduce((sum, round) => sum + (round.earliestMs === null ? 0 : round.ops.length), 0);
  const over = view.rounds.flatMap((round) => {
    const excess = findExcess(round.ops, round.latestMs, view);
    if (excess === null) return [];
    const isCertain = servedInCooldown(round, view).length > 0;
    // Later rounds of that exam follow a change that was made alone.
    const isSetAtOnce = view.isSetAtOnce && round.kind === "volley";
    return [{ excess, isSetAtOnce, boundaries: isCertain ? [] : findExcusingBoundaries(round, view) }];
  });
  const proven = over.find(({ boundaries }) => boundaries.length === 0) ?? over.at(-1);
  if (!proven) return passed(own, considered, `${considered} requests: nothing was served too early`);
  const { early, refill, earliestMs, untilMs } = proven.excess;
  const excused = over.map(({ boundaries }) => boundaries);
  if (haveCommonAlignment(excused, view)) {
    const message = `${early.length} requests were served in the place of ${view.burst}: a minute of the clock that began in between would explain it`;
    return inconclusive(own, considered, message);
  }
  const { isSetAtOnce } = proven;
  const first = early[view.burst + refill]!;
  return accused(own, considered, "fail", {
    kind: "burst-over",
    message: `${early.length} requests of key ${view.key} (#${early[0]!.seq} to #${early.at(-1)!.seq}) were served within ${describeSpan(early)}; the allowance is ${view.burst} a minute${refill > 0 ? `, of which ${refill} may have come back meanwhile,` : ""} and the cooldown that follows lasts ${view.cooldownMs / 1000} s${isSetAtOnce ? ", both set at the same moment by two changes" : ""}. #${first.seq} was served ${((untilMs - first.headersMs) / 1000).toFixed(1)} s before that cooldown can have been over. A correct service serves ${view.burst + refill} of them and answers the others 429, or holds them until then`,
    rule: "After the allowance is used up nothing is served until the cooldown is over.",
    spec,
    ops: early,
    parameters: { burst: view.burst, cooldownMs: view.cooldownMs, refill, untilMs, earliestMs, rounds: over.length },
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
  const answered = ((op.headersMs - op.sentMs) / 1000).toFixed(1);
  return accused(own, considered + held.considered, "fail", {
    kind: "burst-held",
    message: `#${op.seq} was held back for ${answered} s, and of all that was held it is the first that was answered. The cooldown of ${view.cooldownMs / 1000} s had begun when it came; even if each attempt begins it anew, it was over ${((op.headersMs - dueMs) / 1000).toFixed(1)} s before. A correct service answers it by then`,
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
  for (const ops of judged) {
    for (const op of ops) {
      considered += 1;
      const held = op.outcome === "admitted" && heldMs(op) > Math.min(view.cooldownMs, view.tolerances.windowMs) / 2;
      if ((op.outcome !== "rejected" && !held) || speaksOfAnotherLimit(op)) continue;
      // Everything that may have used the allowance within a minute and a cooldown before it was refused or held.
      const sinceMs = op.sentMs - view.tolerances.windowMs - view.cooldownMs - view.tolerances.granularityMs;
      const reachMs = op.outcome === "rejected" ? op.headersMs : op.sentMs + 3000;
      const others = view.ops.filter(
        (other) => other !== op && other.headersMs >= sinceMs && other.sentMs <= reachMs && other.outcome !== "rejected",
      ).length;
      if (others >= view.burst || !view.exclusive) continue;
      return accused(own, considered, "fail", {
        kind: "burst-under",
        message: `#${op.seq} was ${op.outcome === "rejected" ? "refused with 429" : `held back for ${(heldMs(op) / 1000).toFixed(1)} s`} although at most ${others} other requests of the key can have been counted in the ${((op.sentMs - sinceMs) / 1000).toFixed(0)} s before it, a minute and a cooldown; the allowance is ${view.burst}. A correct service serves it at once`,
        rule: "Up to burst_limit requests a minute are served without refusal or delay.",
        spec,
        ops: [op],
        parameters: { burst: view.burst, others, sinceMs, reachMs },
        lawfulAlternative: `#${op.seq} is served at once`,
        expected: "served",
        observed: op.outcome === "rejected" ? "429" : `answered after ${(heldMs(op) / 1000).toFixed(1)} s`,
      });
    }
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
      : round.ops.filter(({ endpoint, outcome }) => endpoint === "models" && outcome !== "admitted");
  });
  const other = alike.filter(({ outcome }) => outcome === "other");
  const failing = alike.filter(({ status }) => status !== null && status >= 500);
  const failedElsewhere = [...view.below, ...view.otherKeyOps].some(({ status }) => status !== null && status >= 500);
  const wrong = other.length > 0 ? other : failing.length > 1 && !failedElsewhere ? failing : [];
  const [first] = wrong;
  if (first === undefined) {
    if (failing.length > 0) return inconclusive(own, alike.length, `${failing.length} requests failed with a server error`);
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

/** A network that loses what comes later still delivers within this, ms. */
const underWayMs = 3000;

/**
 * From when on the key was answered nothing at all although the service still answers when all of that was sent: it is held when the exam
 * ends, which no network explains. Infinity: that never was so.
 */
function findHeldForGood({ ops, lastAnsweredMs }: BurstView, lost: readonly LimitOp[]): number {
  const fromMs = Math.min(Number.POSITIVE_INFINITY, ...lost.map(({ sentMs }) => sentMs));
  const isAnswered = ops.some(({ headersMs }) => Number.isFinite(headersMs) && headersMs > fromMs + underWayMs);
  const last = Math.max(...ops.map(({ sentMs }) => sentMs));
  return !isAnswered && lastAnsweredMs > last ? fromMs : Number.POSITIVE_INFINITY;
}

export function checkQueue(view: BurstView): readonly Check[] {
  const lostHead = checkHead("queue.request-lost");
  const mixedHead = checkHead("queue.mixed-with-refusals");
  const orderHead = checkHead("queue.out-of-order");
  const duringOf = (round: BurstRound): readonly LimitOp[] =>
    round.ops.filter((op) => round.latestMs !== null && op.sentMs < round.latestMs + view.cooldownMs);
  const during = view.rounds.flatMap(duringOf);
  const queued = during.filter((op) => op.outcome === "admitted" && heldMs(op) > view.cooldownMs * 0.05 && heldMs(op) > 1000);
  const refused = during.filter((op) => op.outcome === "rejected");
  const lost = during.filter((op) => op.status === null);
  const held = queued.length + lost.length;
  // A network may lose an answer as well, but hardly this many, and none but held ones.
  const heldFromMs = findHeldForGood(view, lost);
  const lostElsewhere = [...view.ops, ...view.otherKeyOps].some(
    (op) => op.status === null && !lost.includes(op) && !(op.key === view.key && op.sentMs >= heldFromMs),
  );
  const isProven = lost.length >= 4 && lost.length >= 0.4 * held && !lostElsewhere;
  const checks: Check[] = [];
  if (lost[0] && isProven) {
    checks.push(
      accused(lostHead, queued.length, "fail", {
        kind: "queue-lost",
        message: `${lost.length} of ${held} requests that were held in the cooldown were never answered (#${lost[0].seq} first), ${Number.isFinite(heldFromMs) ? "nor was any that this key sent later, while the service answered others" : "all other requests of the exam were"}. A correct service answers what it queued when the cooldown of ${view.cooldownMs / 1000} s is over`,
        rule: "A request that is queued during the cooldown is answered after it.",
        spec,
        ops: lost,
        parameters: { queued: queued.length, cooldownMs: view.cooldownMs },
        lawfulAlternative: "an answer when the cooldown is over",
        expected: "answered",
        observed: "no answer",
      }),
    );
  } else if (lost.length > 0) {
    checks.push(
      inconclusive(lostHead, held, `${lost.length} of ${held} requests were not answered; the network may have lost them`),
    );
  } else
    checks.push(
      queued.length > 0
        ? passed(lostHead, queued.length, `${queued.length} queued requests were answered`)
        : inconclusive(lostHead, 0, "no request was queued"),
    );
  const first = queued[0];
  if (first && refused[0]) {
    checks.push(
      accused(mixedHead, queued.length + refused.length, "advisory", {
        kind: "queue-mixed",
        message: `in the cooldowns of one key ${queued.length} ${queued.length === 1 ? "request was" : "requests were"} queued (#${first.seq} first, for ${(heldMs(first) / 1000).toFixed(1)} s) and ${refused.length} refused (#${refused[0].seq} first). Which of the two is a preference of the key; only a queue that is full refuses what it would queue`,
        rule: "What happens to requests during a cooldown is a preference of the key, hence the same for all.",
        spec,
        ops: [first, refused[0]],
        parameters: { queued: queued.length, refused: refused.length },
        correct: "all queued or all refused (a full queue may refuse)",
        expected: "one of the two",
        observed: `${queued.length} queued, ${refused.length} refused`,
      }),
    );
  } else checks.push(passed(mixedHead, queued.length + refused.length, `${queued.length} queued, ${refused.length} refused`));
  const overtaken = queued.find((op) =>
    queued.some((later) => later.sentMs > op.sentMs + 1000 + view.tolerances.fuzzMs && later.headersMs < op.headersMs - 1000),
  );
  if (overtaken) {
    checks.push(
      accused(orderHead, queued.length, "advisory", {
        kind: "queue-order",
        message: `#${overtaken.seq}, queued for ${(heldMs(overtaken) / 1000).toFixed(1)} s, was answered more than a second after another one that had come more than a second later`,
        rule: "A queue serves in the order of arrival.",
        spec,
        ops: [overtaken],
        correct: "first in, first out",
        expected: "in order of arrival",
        observed: "overtaken",
      }),
    );
  } else if (queued.length > 1)
    checks.push(passed(orderHead, queued.length, `${queued.length} queued requests, in order as far as it shows`));
  return checks;
}
