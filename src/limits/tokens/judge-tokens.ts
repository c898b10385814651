import { askBeforeAccusing } from "../probe/ask-before-accusing.ts";
import { checkOccurrences } from "../verdict/check-occurrences.ts";
import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../verdict/check.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import { opsOf, type LimitOp, type OpOf } from "../history/op.ts";
import type { ExamRecord, ProbeJudgement } from "../probe/limit-probe.ts";
import { emptyTimeline, judgedByExam, undeclared, type PolicyJudgement } from "../probe/policy.ts";
import { timelineOp } from "../history/timeline.ts";
import { verifyPolicyChecks } from "../certificates/verify-policy-certificate.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { checkCharges } from "./check-charges.ts";
import { checkTokenRefusals, isTokenRefusal, type TokenRefusals } from "./check-token-refusals.ts";
import { checkLeft } from "./check-left.ts";
import { checkLeftCounted } from "./check-left-counted.ts";
import { checkLeftSlots } from "./check-left-slots.ts";
import { isOfLeaving } from "./left-together.ts";
import { checkTogether } from "./check-together.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { judgeEmbeddings } from "./judge-embeddings.ts";
import { tokenReadings } from "./token-readings.ts";

const spec = "Limits > Rate limits (x-ratelimit-remaining-tokens)";

type Known = Pick<TokenRefusals, "tolerances" | "offset" | "exclusive">;

/** Judges the token limit of every key that an exam used. */
export function judgeTokens({ history, tolerances, manifest }: ExamRecord): ProbeJudgement {
  const { ops, offset } = history;
  const keys = new Set(opsOf(ops, "tokens").map((op) => op.key));
  const judged = [...keys].flatMap((key) => judgeTokensOf(key, ops, { tolerances, offset, exclusive: manifest.exclusive }));
  return { policies: judged.map(({ policy }) => policy), occurrences: judged.flatMap(({ occurrences }) => occurrences) };
}

interface Judged {
  readonly policy: PolicyJudgement;
  readonly occurrences: readonly Occurrence[];
}

function judgeTokensOf(key: string, all: readonly LimitOp[], known: Known): readonly Judged[] {
  const { tolerances, offset, exclusive } = known;
  const driven = opsOf(all, "tokens").filter((op) => op.key === key);
  const embeddings = driven.filter(({ endpoint }) => endpoint === "embeddings");
  // Readings of chat among the requests for embeddings are for the charge of those.
  const ops = driven.filter(
    ({ endpoint, sentMs }) =>
      endpoint !== "embeddings" &&
      !embeddings.some((op) => op.sentMs < sentMs && op.phase === "charge-embedding" && sentMs < embeddings.at(-1)!.sentMs),
  );
  const own = new Set<LimitOp>(ops);
  const others = all.filter((op) => op.key === key && !own.has(op));
  const readings = tokenReadings(ops, offset, tolerances);
  const left = checkLeft(ops, readings, tolerances);
  // Nothing says how much of a stream that was left is charged, or when.
  const leftAt = ops.findIndex(isOfLeaving);
  const stayed = leftAt < 0 ? ops : ops.slice(0, leftAt);
  const checks = [
    checkCharges(stayed, readings, tolerances, { needed: 2 }),
    checkTogether(stayed, readings, tolerances, offset),
    checkTokenLimit(stayed, tolerances),
    ...[left, checkLeftCounted(ops, readings), checkLeftSlots(ops, { tolerances, all, exclusive })].filter(
      (check) => check !== null,
    ),
    ...checkTokenRefusals({ ops: stayed, others, offset, tolerances, exclusive }),
  ];
  const chat = policyOf("chat", ops, checks, known);
  const embedded = judgeEmbeddings(driven, tolerances, offset);
  return [
    { ...chat, occurrences: [...chat.occurrences, ...streamRow(ops)] },
    ...(embedded === null ? [] : [policyOf("embeddings", embedded.ops, [embedded.check], known)]),
  ];
}

function policyOf(
  endpoint: "chat" | "embeddings",
  ops: readonly LimitOp[],
  found: readonly Check[],
  { tolerances, offset }: Known,
): Judged {
  const checks = askBeforeAccusing(verifyPolicyChecks(found, ops), tolerances);
  const offsetMs = offset === null ? null : (offset.lowMs + offset.highMs) / 2;
  const limit = ops.find((op) => op.tokens.limit !== null)?.tokens.limit ?? null;
  const key = ops[0]?.key ?? "";
  return {
    policy: {
      id: `tokens/${key}/${endpoint}`,
      title: `Tokens per ${tolerances.windowMs / 1000} s, key ${key}, ${endpoint === "chat" ? "chat" : "embeddings (charge only)"}`,
      kind: "tokens",
      key,
      endpoint,
      declared: { ...undeclared, limit, windowSeconds: tolerances.windowMs / 1000 },
      ...judgedByExam("tokens", checks, checks[0]?.message ?? ""),
      checks,
      identification: null,
      tolerances: { ...tolerances },
      timeline: { ...emptyTimeline, ops: ops.map((op) => timelineOp(op, offsetMs)) },
    },
    occurrences: checkOccurrences(checks),
  };
}

const limitHead: CheckHead = checkHead("tokens.over-admission");

/** Counts only tokens of answers that had ended before the next request was sent: charging at the end overshoots lawfully. */
function checkTokenLimit(ops: readonly OpOf<"tokens">[], tolerances: Tolerances): Check {
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
      correct: "429",
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
      correct: "429",
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
