import { askBeforeAccusing } from "../probe/ask-before-accusing.ts";
import { checkOccurrences } from "../verdict/check-occurrences.ts";
import type { Check } from "../verdict/check.ts";
import { withholdAcross } from "../verdict/withhold-across.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import { opsOf, type LimitOp } from "../history/op.ts";
import type { ExamRecord, ProbeJudgement } from "../probe/limit-probe.ts";
import { emptyTimeline, judgedByExam, undeclared, type PolicyJudgement } from "../probe/policy.ts";
import { timelineOp } from "../history/timeline.ts";
import { verifyPolicyChecks } from "../certificates/verify-policy-certificate.ts";
import { chargesNeeded } from "./charges-needed.ts";
import { checkCharges } from "./check-charges.ts";
import { checkTokenLimit } from "./check-token-limit.ts";
import { checkTokenRefusals, type TokenRefusals } from "./check-token-refusals.ts";
import { checkLeft } from "./check-left.ts";
import { checkLeftCounted } from "./check-left-counted.ts";
import { checkLeftSlots } from "./check-left-slots.ts";
import { isOfLeaving } from "./left-together.ts";
import { checkTogether } from "./check-together.ts";
import { judgeEmbeddings } from "./judge-embeddings.ts";
import { tokenReadings } from "./token-readings.ts";
import { sentWithin } from "../history/sent-within.ts";

type Known = Pick<TokenRefusals, "tolerances" | "offset" | "exclusive"> & Pick<ExamRecord, "cutsMs">;

/** Judges the token limit of every key that an exam used. */
export function judgeTokens({ history, cutsMs, tolerances, manifest }: ExamRecord): ProbeJudgement {
  const { ops, offset } = history;
  const keys = new Set(opsOf(ops, "tokens").map((op) => op.key));
  const judged = [...keys].flatMap((key) =>
    judgeTokensOf(key, ops, { cutsMs, tolerances, offset, exclusive: manifest.exclusive }),
  );
  return { policies: judged.map(({ policy }) => policy), occurrences: judged.flatMap(({ occurrences }) => occurrences) };
}

interface Judged {
  readonly policy: PolicyJudgement;
  readonly occurrences: readonly Occurrence[];
}

function judgeTokensOf(key: string, all: readonly LimitOp[], known: Known): readonly Judged[] {
  const { tolerances, offset, exclusive } = known;
  const again = (fromMs: number, untilMs: number): readonly PolicyJudgement[] => {
    const side = sentWithin(all, fromMs, untilMs);
    const isDriven = opsOf(side, "tokens").some((op) => op.key === key);
    return isDriven ? judgeTokensOf(key, side, { ...known, cutsMs: [] }).map(({ policy }) => policy) : [];
  };
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
    checkCharges(stayed, readings, tolerances, { needed: chargesNeeded }),
    checkTogether(stayed, readings, tolerances, offset),
    checkTokenLimit(stayed, tolerances),
    ...[left, checkLeftCounted(ops, readings, tolerances), checkLeftSlots(ops, { tolerances, all, exclusive })].filter(
      (check) => check !== null,
    ),
    ...checkTokenRefusals({ ops: stayed, others, offset, tolerances, exclusive }),
  ];
  const chat = policyOf("chat", ops, checks, { ...known, again });
  const embedded = judgeEmbeddings(driven, tolerances, offset);
  return [
    { ...chat, occurrences: [...chat.occurrences, ...streamRow(ops)] },
    ...(embedded === null ? [] : [policyOf("embeddings", embedded.ops, [embedded.check], { ...known, again })]),
  ];
}

interface Sides {
  /** The policies of what was sent from the one instant on and before the other. */
  readonly again: (fromMs: number, untilMs: number) => readonly PolicyJudgement[];
}

function policyOf(
  endpoint: "chat" | "embeddings",
  ops: readonly LimitOp[],
  found: readonly Check[],
  { tolerances, offset, cutsMs, again }: Known & Sides,
): Judged {
  const checks = withholdAcross(askBeforeAccusing(verifyPolicyChecks(found, ops), tolerances), {
    cutsMs,
    ops,
    again: (fromMs, untilMs) => again(fromMs, untilMs).flatMap((policy) => (policy.endpoint === endpoint ? policy.checks : [])),
  });
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

function streamRow(ops: readonly LimitOp[]): readonly Occurrence[] {
  const streamed = ops.find((op) => op.streamed && op.tokens.remaining !== null);
  if (!streamed) return [];
  const before = ops[ops.indexOf(streamed) - 1];
  const answer = before?.tokens.remaining === streamed.tokens.remaining ? "as before the stream" : "with a reservation";
  return [
    { requirement: "RATE-041", outcome: "observed", exchanges: [streamed.seq], message: "token headers of a stream", answer },
  ];
}
