import { accused, inconclusive, notApplicable, passed, type Check, type CheckHead, checkHead } from "../verdict/check.ts";
import type { LimitOp } from "../history/op.ts";
import { speaksOfAnotherLimit } from "./burst-checks.ts";
import type { BurstRound } from "./burst-rounds.ts";
import type { BurstView } from "./burst-view.ts";
import { heldWords, holdsBeyond } from "./holds-beyond.ts";

const spec = "Limits > Burst and cooldown; Errors (429)";

interface Promised {
  readonly op: LimitOp;
  /** The end of the cooldown that the refusal promises, run clock; whole seconds may be rounded up. */
  readonly fromMs: number;
  readonly toMs: number;
}

function promises(round: BurstRound): readonly Promised[] {
  return round.rejected
    .filter((op) => op.retry?.seconds !== null && op.retry?.seconds !== undefined)
    .map((op) => {
      const waitMs = op.retry!.seconds! * 1000;
      return { op, fromMs: op.sentMs + waitMs - 1000, toMs: op.headersMs + waitMs };
    });
}

/** Refusals within one cooldown name one end: it does not move with attempts, and it is where the cooldown ends. */
export function checkCooldownHints(view: BurstView): readonly Check[] {
  const moving: CheckHead = checkHead("burst.cooldown-prolonged", 2);
  const truthful: CheckHead = checkHead("burst.retry-after-untrue");
  const form: CheckHead = checkHead("burst.retry-after-form");
  const round = view.rounds.find(({ rejected }) => rejected.length > 0);
  if (!round || round.earliestMs === null || round.latestMs === null) {
    const heads = [moving, truthful, form, keptHead, longHead];
    if (holdsBeyond(view)) return heads.map((own) => notApplicable(own, 0, heldWords));
    return heads.map((own) => inconclusive(own, 0, "no request was refused in a cooldown"));
  }
  const endMs = round.latestMs + view.cooldownMs;
  const within = promises(round).filter(({ op }) => op.headersMs < endMs);
  const silent = round.rejected.find((op) => op.retry?.seconds === null);
  const accuse = (own: CheckHead, verdict: "fail" | "advisory", ops: readonly LimitOp[], message: string, rule: string): Check =>
    accused(own, within.length, verdict, {
      message,
      rule,
      spec,
      ops,
      parameters: { cooldownMs: view.cooldownMs, earliestMs: round.earliestMs, latestMs: round.latestMs },
      lawfulAlternative: "a Retry-After that counts down to the end of the cooldown",
      expected: "the seconds left of the cooldown",
      observed: ops.map((op) => `#${op.seq}: ${op.retry?.seconds ?? "none"}`).join(", "),
    });
  const checks: Check[] = [
    silent
      ? accuse(
          form,
          "fail",
          [silent],
          `#${silent.seq} was refused with 429 in a cooldown, and neither Retry-After nor retry-after in the body says for how long. A correct service states the seconds that are left of the cooldown of ${view.cooldownMs / 1000} s`,
          "A 429 states the wait.",
        )
      : passed(form, round.rejected.length, `${round.rejected.length} refusals state the wait`),
  ];
  const earliestEnd = within.reduce<Promised | null>(
    (least, one) => (least === null || one.toMs < least.toMs ? one : least),
    null,
  );
  const latestEnd = within.reduce<Promised | null>((most, one) => (most === null || one.fromMs > most.fromMs ? one : most), null);
  const driftMs = earliestEnd && latestEnd ? latestEnd.fromMs - earliestEnd.toMs : 0;
  checks.push(
    earliestEnd && latestEnd && driftMs > view.tolerances.fuzzMs + 100
      ? accuse(
          moving,
          "advisory",
          [earliestEnd.op, latestEnd.op],
          `#${earliestEnd.op.seq} was refused in the cooldown and says to wait ${earliestEnd.op.retry?.seconds} s, #${latestEnd.op.seq}, ${(Math.abs(latestEnd.op.sentMs - earliestEnd.op.sentMs) / 1000).toFixed(1)} s ${latestEnd.op.sentMs >= earliestEnd.op.sentMs ? "later" : "earlier"}, ${latestEnd.op.retry?.seconds} s: the end that they name moved by ${(driftMs / 1000).toFixed(1)} s. All refusals of one cooldown count down to one end. Correct would be: a Retry-After that counts down to the end of the cooldown`,
          "All refusals of one cooldown promise the same end.",
        )
      : passed(moving, within.length, `${within.length} refusals promise one end of the cooldown`),
  );
  const slackMs = 2000 + view.tolerances.fuzzMs;
  const wrong = within.find(
    (one) =>
      !speaksOfAnotherLimit(one.op) && (one.toMs < round.earliestMs! + view.cooldownMs - slackMs || one.fromMs > endMs + slackMs),
  );
  checks.push(
    wrong
      ? accuse(
          truthful,
          "advisory",
          [wrong.op],
          `#${wrong.op.seq} was refused in the cooldown of ${view.cooldownMs / 1000} s and says to wait ${wrong.op.retry?.seconds} s; between ${((round.earliestMs + view.cooldownMs - wrong.op.headersMs) / 1000).toFixed(1)} and ${((endMs - wrong.op.sentMs) / 1000).toFixed(1)} s of it were left. A correct service says what is left`,
          "The wait is the rest of the cooldown.",
        )
      : passed(truthful, within.length, `${within.length} waits are the rest of the cooldown`),
  );
  checks.push(findBrokenPromise(view) ?? checkWaitKept(view), checkWaitNotFar(view));
  return checks;
}

const keptHead: CheckHead = checkHead("burst.retry-after-too-short");
const longHead: CheckHead = checkHead("burst.retry-after-too-long");

/** A wait that misses the cooldown by less than this share is a matter of anchoring and rounding: advice. */
const missedShare = 0.25;

/**
 * The wait that a refusal names ends well within the cooldown that was set, and a request after it is refused in that same
 * cooldown. Attempts in between excuse nothing: they may prolong a cooldown, but the named instant lies before its shortest end.
 */
function findBrokenPromise(view: BurstView): Check | null {
  for (const round of view.rounds) {
    if (round.earliestMs === null) continue;
    const shortestEndMs = round.earliestMs + view.cooldownMs;
    const refused = round.rejected.filter((op) => !speaksOfAnotherLimit(op));
    for (const hinted of refused) {
      const seconds = hinted.retry?.seconds ?? null;
      if (seconds === null || seconds < 0) continue;
      const dueMs = hinted.headersMs + seconds * 1000 * (1 + view.tolerances.driftRatio) + 1000 + view.tolerances.fuzzMs;
      if (dueMs > shortestEndMs - missedShare * view.cooldownMs) continue;
      const late = refused.find((op) => op.sentMs > dueMs && op.headersMs < shortestEndMs);
      if (late === undefined) continue;
      return accused(keptHead, refused.length, "fail", {
        kind: "cooldown-promise",
        message: `#${hinted.seq} said to wait ${seconds} s, with ${((shortestEndMs - hinted.headersMs) / 1000).toFixed(1)} s of the cooldown of ${view.cooldownMs / 1000} s left; #${late.seq} came ${((late.sentMs - hinted.headersMs) / 1000).toFixed(1)} s later, as asked, and was refused with 429. A correct service names at least ${Math.floor((shortestEndMs - hinted.headersMs) / 1000)} s, or serves it`,
        rule: "The wait in the refusal is what is left of the cooldown: service resumes when it is over.",
        spec,
        ops: [hinted, late],
        parameters: { waitSeconds: seconds, cooldownMs: view.cooldownMs, earliestMs: round.earliestMs },
        lawfulAlternative: `#${hinted.seq} names at least ${Math.floor((shortestEndMs - hinted.headersMs) / 1000)} s`,
        expected: "the seconds left of the cooldown",
        observed: `${seconds} s`,
      });
    }
  }
  return null;
}

/** More than twice the longer of cooldown and minute: no anchoring, rounding or whole cooldown explains that. */
function checkWaitNotFar(view: BurstView): Check {
  const waits = view.rounds.flatMap(({ rejected }) =>
    rejected.filter((op) => (op.retry?.seconds ?? null) !== null && !speaksOfAnotherLimit(op)),
  );
  const mostSeconds = (2 * Math.max(view.cooldownMs, view.tolerances.windowMs)) / 1000;
  const far = waits.find((op) => op.retry!.seconds! > mostSeconds);
  if (far === undefined) return passed(longHead, waits.length, `${waits.length} waits are at most ${mostSeconds} s`);
  return accused(longHead, waits.length, "fail", {
    message: `#${far.seq} says to wait ${far.retry!.seconds} s; the cooldown is ${view.cooldownMs / 1000} s and the minute of the allowance ${view.tolerances.windowMs / 1000} s. A correct service names at most what is left of the cooldown, in seconds`,
    rule: "The wait in the refusal is what is left of the cooldown, in seconds.",
    spec,
    ops: [far],
    parameters: { waitSeconds: far.retry!.seconds, cooldownMs: view.cooldownMs },
    lawfulAlternative: "the seconds left of the cooldown",
    expected: `at most ${mostSeconds} s`,
    observed: `${far.retry!.seconds} s`,
  });
}

/**
 * A client that was refused came back when the refusal said, not before, and was refused again: the wait was not that of the
 * cooldown.
 */
function checkWaitKept(view: BurstView): Check {
  let considered = 0;
  const ops = [...view.ops].sort((a, b) => a.sentMs - b.sentMs);
  for (const [index, op] of ops.entries()) {
    const hinted = ops[index - 1];
    const seconds = hinted?.retry?.seconds ?? null;
    if (hinted === undefined || seconds === null || hinted.outcome !== "rejected") continue;
    const dueMs = hinted.headersMs + seconds * 1000 * (1 + view.tolerances.driftRatio) + view.tolerances.fuzzMs;
    // No other request that may count as an attempt: none before the end, and none under way at the beginning.
    const isAlone = !ops.some(
      (other) => other !== hinted && other !== op && other.headersMs >= hinted.sentMs && other.sentMs <= op.headersMs,
    );
    if (op.sentMs < dueMs || !isAlone) continue;
    considered += 1;
    if (op.outcome !== "rejected" || speaksOfAnotherLimit(op) || speaksOfAnotherLimit(hinted) || !view.exclusive) continue;
    return accused(keptHead, considered, "fail", {
      message: `#${hinted.seq} said to wait ${seconds} s; #${op.seq} came ${((op.sentMs - hinted.headersMs) / 1000).toFixed(1)} s later, nothing was sent in between, and was refused with 429. A correct service serves it, or names the longer wait`,
      rule: "The wait in the refusal is the cooldown: service resumes when it is over.",
      spec,
      ops: [hinted, op],
      parameters: { waitSeconds: seconds, cooldownMs: view.cooldownMs, fuzzMs: view.tolerances.fuzzMs },
      lawfulAlternative: `#${hinted.seq} names a longer wait, or #${op.seq} is served`,
      expected: "served",
      observed: "429",
    });
  }
  return passed(keptHead, considered, `${considered} requests that waited as asked were served`);
}
