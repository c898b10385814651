import { askBeforeAccusing } from "../exam/ask-before-accusing.ts";
import { checkOccurrences } from "../exam/check-occurrences.ts";
import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../exam/check.ts";
import type { ClockOffset } from "../history/clock-offset.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import { namesNoWindow } from "../history/names-no-window.ts";
import type { LimitOp } from "../history/op.ts";
import type { ExamRecord, ProbeJudgement } from "../exam/limit-probe.ts";
import { emptyTimeline, judgedByExam, undeclared, type PolicyJudgement } from "../exam/policy.ts";
import { timelineOp } from "../history/timeline.ts";
import { verifyPolicyChecks } from "../certificates/verify-policy-certificate.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { checkSum } from "./check-sum.ts";
import { checkOvercharge } from "./check-overcharge.ts";
import { checkTokenRefusals, isTokenRefusal, type TokenRefusals } from "./check-token-refusals.ts";
import { checkTogether, type TokenReadings } from "./check-together.ts";
import { findCharges, unreported } from "./find-charges.ts";
import { leavingBetween } from "./leaving-between.ts";
import { describeFall } from "./describe-fall.ts";
import { chargeDelayMs } from "./token-exam.ts";
import { largestTokenRefill } from "./token-refill.ts";

const spec = "Limits > Rate limits (x-ratelimit-remaining-tokens)";

/** Judges the token limit of every key that an exam used. */
export function judgeTokens({ history, tolerances, manifest }: ExamRecord): ProbeJudgement {
  const { ops, offset } = history;
  const keys = new Set(ops.filter((op) => op.policy === "tokens").map((op) => op.key));
  const judged = [...keys].map((key) => judgeTokensOf(key, ops, { tolerances, offset, exclusive: manifest.exclusive }));
  return { policies: judged.map(({ policy }) => policy), occurrences: judged.flatMap(({ occurrences }) => occurrences) };
}

function judgeTokensOf(
  key: string,
  all: readonly LimitOp[],
  { tolerances, offset, exclusive }: Pick<TokenRefusals, "tolerances" | "offset" | "exclusive">,
): { readonly policy: PolicyJudgement; readonly occurrences: readonly Occurrence[] } {
  const ops = all.filter((op) => op.key === key && op.policy === "tokens");
  const others = all.filter((op) => op.key === key && op.policy !== "tokens");
  const readings = {
    step: readingStep(ops),
    lump: largestTokenRefill(ops, tolerances),
    mayHaveEnded: (before: LimitOp, after: LimitOp): boolean => mayHaveEnded(before, after, ops, offset, tolerances),
  };
  const checks = askBeforeAccusing(
    verifyPolicyChecks(
      [
        checkCharges(ops, readings, tolerances),
        checkTogether(ops, readings, tolerances, offset),
        checkTokenLimit(ops, tolerances),
        ...checkTokenRefusals({ ops, others, offset, tolerances, exclusive }),
      ],
      ops,
    ),
    tolerances,
  );
  const offsetMs = offset === null ? null : (offset.lowMs + offset.highMs) / 2;
  const limit = ops.find((op) => op.tokens.limit !== null)?.tokens.limit ?? null;
  return {
    policy: {
      id: `tokens/${key}/chat`,
      title: `Tokens per ${tolerances.windowMs / 1000} s, key ${key}, chat`,
      kind: "tokens",
      key,
      endpoint: "chat",
      declared: { ...undeclared, limit, windowSeconds: tolerances.windowMs / 1000 },
      ...judgedByExam("tokens", checks, checks[0]?.message ?? ""),
      checks,
      identification: null,
      tolerances: { ...tolerances },
      timeline: { ...emptyTimeline, ops: ops.map((op) => timelineOp(op, offsetMs)) },
    },
    occurrences: [...checkOccurrences(checks), ...streamRow(ops)],
  };
}

const chargeHead: CheckHead = checkHead("tokens.wrong-charge", 2);

/** A small request before and after: the part of itself that a header counts cancels out (O7), and what is left is the charge. */
function checkCharges(ops: readonly LimitOp[], known: TokenReadings, tolerances: Tolerances): Check {
  const charges = findCharges(ops, tolerances);
  const { step, lump } = known;
  const still = labelsWithoutRefill(ops, tolerances);
  let considered = 0;
  for (const charge of charges) {
    const { before, charged, after, between } = charge;
    const limit = before.tokens.limit;
    const fell = (before.tokens.remaining ?? 0) - (after.tokens.remaining ?? 0);
    const sameWindow = before.tokens.resetMs === after.tokens.resetMs;
    // A window that may have ended in between gives back what was charged in it.
    const isOver = known.mayHaveEnded(before, after);
    if (limit === null || (isOver && fell < 0)) continue;
    // Readings may themselves differ by a token or two; a moving label may refill at the average rate.
    const readings = [before.usedTokens ?? 4, after.usedTokens ?? 4];
    const own = Math.max(...readings);
    // A reading just before the first one may be charged after it; of larger requests the exam waits for the charge.
    const pending = ops.filter(
      (op) => op.phase === "reading" && op.sentMs < before.sentMs && op.endMs + chargeDelayMs >= before.sentMs,
    );
    const further = [...pending, ...between].reduce((sum, op) => sum + (op.usedTokens ?? op.maxTokens ?? 4), 0);
    const slack = 2 + own - Math.min(...readings) + step;
    // What was held for an answer just before may have been given back after the first reading.
    const released = ops
      .filter((op) => op !== before && op.sentMs < before.sentMs && op.endMs + chargeDelayMs >= before.sentMs)
      .reduce((sum, op) => sum + (op.maxTokens ?? 0), 0);
    const refill =
      released +
      (sameWindow && still.has(before.tokens.resetMs)
        ? 0
        : Math.ceil((limit / tolerances.windowMs) * (after.headersMs - before.sentMs + tolerances.fuzzMs)) +
          lump +
          leavingBetween(ops, before, after, tolerances));
    const total = charged.usedTokens ?? unreported(charged, charges);
    if (total === null) continue;
    const isLarge = total >= 2 * (slack + refill - released) + 8 && total > slack + refill;
    if (isLarge) considered += 1;
    const exact = charged.usedTokens !== null;
    const low = isOver ? 0 : (exact ? total + Math.min(...readings) : total / 2) - refill - slack;
    // What is held for an answer may be given back as late as a charge comes.
    const held = after.sentMs < charged.endMs + chargeDelayMs ? (charged.maxTokens ?? 0) : 0;
    const high = exact && total >= 2 * slack + 8 ? total + own + further + held + slack : Number.POSITIVE_INFINITY;
    if (fell >= low && fell <= high) continue;
    return accused(chargeHead, considered, "fail", {
      kind: "token-charge",
      message: `#${charged.seq} (${charged.phase.replace("charge-", "")}) used ${total} tokens; remaining tokens ${describeFall(fell)} from #${before.seq} to #${after.seq}`,
      rule: "Remaining tokens fall by what the requests in between report as their usage.",
      spec,
      ops: [before, charged, after],
      parameters: { fell, total, own, further: further + held, refill, slack, step },
      lawfulAlternative: `remaining tokens lower by ${Math.round(low)} ${Number.isFinite(high) ? `to ${Math.round(high)}` : "at least"}`,
      expected: `about ${total + own}`,
      observed: String(fell),
    });
  }
  return (
    checkSum(ops, chargeHead, { ...known, tolerances }) ??
    checkOvercharge(ops, chargeHead, step) ??
    passed(chargeHead, considered, `${considered} requests were charged what they report`)
  );
}

/** Readings may be rounded: the coarsest of these of which all of them are multiples, 0 for none. */
function readingStep(ops: readonly LimitOp[]): number {
  const values = ops.flatMap(({ tokens }) => (tokens.remaining === null ? [] : [tokens.remaining]));
  if (new Set(values).size < 3) return 0;
  return [1000, 100, 10, 5].find((step) => values.every((value) => value % step === 0)) ?? 0;
}

/** Whether the window that the earlier reading names may have ended by the time of the later one. */
function mayHaveEnded(
  before: LimitOp,
  after: LimitOp,
  ops: readonly LimitOp[],
  offset: ClockOffset | null,
  tolerances: Tolerances,
): boolean {
  if (before.tokens.resetMs === null || offset === null) return true;
  const labels = ops.map(({ tokens }) => tokens.resetMs);
  if (!offset.split && namesNoWindow(labels, tolerances, 2)) return false;
  return before.tokens.resetMs - tolerances.clockMs - tolerances.fuzzMs <= after.headersMs + offset.highMs;
}

/** Windows in which a pause of two seconds or more brought nothing back although there was room for it. */
function labelsWithoutRefill(ops: readonly LimitOp[], tolerances: Tolerances): ReadonlySet<number | null> {
  const labels = new Set<number | null>();
  ops.forEach((later, index) => {
    const earlier = ops[index - 1];
    if (earlier?.phase !== "reading" || later.phase !== "reading" || earlier.tokens.resetMs !== later.tokens.resetMs) return;
    const spanMs = later.sentMs - earlier.headersMs;
    const room = (earlier.tokens.limit ?? 0) - (earlier.tokens.remaining ?? 0);
    const refill = ((earlier.tokens.limit ?? 0) / tolerances.windowMs) * spanMs;
    const fell = (earlier.tokens.remaining ?? 0) - (later.tokens.remaining ?? 0);
    if (spanMs >= 2000 && refill >= 8 && room >= refill / 2 && fell >= 0) labels.add(earlier.tokens.resetMs);
  });
  return labels;
}

const limitHead: CheckHead = checkHead("tokens.over-admission");

/** Counts only tokens of answers that had ended before the next request was sent: charging at the end overshoots lawfully. */
function checkTokenLimit(ops: readonly LimitOp[], tolerances: Tolerances): Check {
  const limit = ops.find((op) => op.tokens.limit !== null)?.tokens.limit ?? null;
  const exhaust = ops.filter((op) => op.phase === "exhaust");
  if (limit === null || exhaust.length === 0) return inconclusive(limitHead, 0, "the token limit was not approached");
  // A request that needs more tokens than remain is refused while some remain.
  const refused = ops.find(isTokenRefusal);
  for (const late of exhaust.filter((op) => op.outcome === "admitted")) {
    const window = ops.filter(
      (op) => op.tokens.resetMs === late.tokens.resetMs && op.endMs + chargeDelayMs < late.sentMs && op.outcome === "admitted",
    );
    const first = window[0];
    if (!first) continue;
    const used = window.reduce((sum, op) => sum + (op.usedTokens ?? 0), 0);
    const refill = Math.ceil((limit / tolerances.windowMs) * (late.headersMs - first.sentMs + tolerances.granularityMs));
    if (used < limit + refill) continue;
    return accused(limitHead, exhaust.length, "fail", {
      kind: "token-limit",
      message: `#${late.seq} was admitted after ${used} tokens in the same window; the limit is ${limit}`,
      rule: "A request is refused when the tokens of the window are used up.",
      spec,
      ops: [...window, late],
      parameters: { used, limit, refill },
      expected: "429",
      observed: String(late.status),
    });
  }
  const twice = findTwice(exhaust, limit, tolerances);
  if (twice !== null) {
    const { row, used } = twice;
    const seconds = ((row.at(-1)!.headersMs - row[0]!.sentMs) / 1000).toFixed(1);
    return accused(limitHead, exhaust.length, "fail", {
      kind: "token-limit",
      message: `${row.length} requests, one after another within ${seconds} s, used ${used} tokens before #${row.at(-1)!.seq}, which was admitted as well. With a limit of ${limit} tokens even two windows that touch admit no more than twice that and the last request of each`,
      rule: "A request is refused when the tokens of the window are used up.",
      spec,
      ops: row,
      parameters: { used, limit, refill: 0 },
      expected: "429",
      observed: String(row.at(-1)!.status),
    });
  }
  return refused
    ? passed(limitHead, exhaust.length, `refused at the token limit of ${limit} (#${refused.seq})`)
    : inconclusive(limitHead, exhaust.length, "the token limit was not reached");
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
  const used = row.reduce((sum, op) => sum + (op.usedTokens ?? 0), 0);
  const most = Math.max(0, ...row.map((op) => op.usedTokens ?? 0));
  return used > 2 * (limit + most) ? { row: [...row, late], used } : null;
}

function streamRow(ops: readonly LimitOp[]): readonly Occurrence[] {
  const streamed = ops.find((op) => op.streamed && op.tokens.remaining !== null);
  if (!streamed) return [];
  const before = ops[ops.indexOf(streamed) - 1];
  const answer = before?.tokens.remaining === streamed.tokens.remaining ? "as before the stream" : "with a reservation";
  return [
    { requirement: "RATE-041", outcome: "observed", exchanges: [streamed.seq], message: "token headers of a stream", answer },
  ];
}
