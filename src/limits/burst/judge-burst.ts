import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import { askBeforeAccusing } from "../probe/ask-before-accusing.ts";
import { row, checkOccurrences } from "../verdict/check-occurrences.ts";
import type { Check } from "../verdict/check.ts";
import { type AbsenceSides, withholdAcross } from "../verdict/withhold-across.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import { isInPhase, type LimitOp } from "../history/op.ts";
import type { ExamRecord, ProbeJudgement } from "../probe/limit-probe.ts";
import { emptyTimeline, judgedByExam, undeclared, type PolicyJudgement } from "../probe/policy.ts";
import { timelineOp } from "../history/timeline.ts";
import { verifyPolicyChecks } from "../certificates/verify-policy-certificate.ts";
import { checkAdmission, checkAllowance, checkRefusalStatus, checkResume } from "./burst-checks.ts";
import { viewBurst, type BurstView } from "./burst-view.ts";
import { checkChangeKeepsWindow } from "./check-change-keeps-window.ts";
import { checkRaised } from "./check-raised.ts";
import { checkCooldownHints } from "./cooldown-hints.ts";
import { heldMs, leastHeldMs } from "./held-ms.ts";
import { checkQueue } from "./queue-checks.ts";
import { sentWithin } from "../history/sent-within.ts";

export interface BurstJudgement {
  readonly policy: PolicyJudgement;
  readonly occurrences: readonly Occurrence[];
}

/** Judges the allowance of every key that an exam used up. */
export function judgeBursts(record: ExamRecord): ProbeJudgement {
  const { history, cutsMs, manifest, bySeq, offsetMs } = record;
  const keys = new Set(history.ops.filter((op) => isInPhase(op, "burst", "volley", "sequential")).map((op) => op.key));
  const judged = [...keys].flatMap((key) => {
    const view = viewBurst(key, record);
    const again = (fromMs: number, untilMs: number): readonly Check[] => {
      const ops = sentWithin(history.ops, fromMs, untilMs);
      const side = viewBurst(key, { ...record, history: { ...history, ops } });
      return side === null || side.ops.length === 0 ? [] : checkBurst(side);
    };
    return view === null ? [] : [judgeBurst(view, manifest, bySeq, offsetMs, { cutsMs, again })];
  });
  return { policies: judged.map(({ policy }) => policy), occurrences: judged.flatMap(({ occurrences }) => occurrences) };
}

function checkBurst(view: BurstView): readonly Check[] {
  const verified = verifyPolicyChecks(
    [
      checkAdmission(view),
      checkResume(view),
      checkAllowance(view),
      checkRefusalStatus(view),
      ...checkCooldownHints(view),
      ...checkQueue(view),
      ...checkChangeKeepsWindow(view),
      ...checkRaised(view),
    ],
    view.ops,
  );
  return askBeforeAccusing(verified, view.tolerances);
}

/** Judges burst allowance and cooldown of one key, all endpoints together. */
export function judgeBurst(
  view: BurstView,
  manifest: ManifestFacts,
  bySeq: ReadonlyMap<number, Exchange>,
  offsetMs: number | null,
  sides: Omit<AbsenceSides, "ops"> = { cutsMs: [], again: () => [] },
): BurstJudgement {
  const checks = withholdAcross(checkBurst(view), { ops: view.ops, ...sides });
  const agreed = `${view.ops.length} requests: allowance, cooldown and hints agree with the settings`;
  return {
    policy: {
      id: `burst/${view.key}`,
      title: `Burst of ${view.burst} a minute, cooldown ${view.cooldownMs / 1000} s, key ${view.key}`,
      kind: "burst",
      key: view.key,
      endpoint: null,
      declared: {
        ...undeclared,
        limit: view.burst,
        windowSeconds: view.tolerances.windowMs / 1000,
        cooldownSeconds: view.cooldownMs / 1000,
        algorithm: manifest.limits.algorithm,
      },
      ...judgedByExam("burst", checks, agreed),
      checks,
      identification: null,
      tolerances: { ...view.tolerances },
      timeline: {
        ...emptyTimeline,
        ops: view.ops.map((op) => {
          const shown = timelineOp(op, offsetMs);
          const held = op.outcome === "admitted" && heldMs(op) > 1000;
          return held ? Object.assign(shown, { lane: "queued" }) : shown;
        }),
        cooldowns: view.rounds.flatMap((round) => cooldownOf(round, view)),
      },
    },
    occurrences: [...checkOccurrences(checks), ...furtherRows(view, checks, bySeq, sides.cutsMs)],
  };
}

function cooldownOf(round: BurstView["rounds"][number], view: BurstView): PolicyJudgement["timeline"]["cooldowns"] {
  if (round.latestMs === null) return [];
  const promise = round.rejected.find((op) => op.retry?.seconds !== null);
  // Held requests show no instant of refusal: their cooldown is drawn from the last request of the allowance on.
  const fromMs = round.rejected.length > 0 ? round.latestMs : (round.earliestMs ?? round.latestMs);
  const next = round.admitted.find((op) => op.headersMs > round.latestMs! + 1000);
  return [
    {
      fromMs,
      promisedMs: promise?.retry?.seconds ? promise.headersMs + promise.retry.seconds * 1000 : fromMs + view.cooldownMs,
      observedMs: next?.headersMs ?? null,
    },
  ];
}

/** Rows that no check stands for: shape of refusals, isolation, spread over endpoints, effect of the settings. */
function furtherRows(
  view: BurstView,
  checks: readonly Check[],
  bySeq: ReadonlyMap<number, Exchange>,
  cutsMs: readonly number[],
): readonly Occurrence[] {
  const rows: Occurrence[] = [];
  const refused = view.rounds.flatMap((round) => round.rejected);
  for (const op of refused) {
    const exchange = bySeq.get(op.seq);
    const shape = exchange ? factsOf(exchange).errorBody.shape : "other";
    const message = `#${op.seq} was refused in a cooldown (${op.status}) with a body of the shape ${shape}. A correct service answers 429 with error.code`;
    rows.push(row("BURST-005", op, shape === "coded" ? null : { message, expected: "429 with error.code", observed: shape }));
    if (shape === "quota" || shape === "mixed") {
      const quota = `#${op.seq} was refused in a cooldown with the body of a spend cap. A correct service says so by error.code, and keeps quota_exceeded for caps`;
      rows.push(row("SPEND-015", op, { message: quota, expected: "error.code", observed: shape }));
    }
    const lacking = `#${op.seq} was refused in a cooldown without all six x-ratelimit headers, which every answer to a valid key has`;
    const isMissing = op.headerProblems.some((problem) => problem.kind === "missing");
    rows.push(row("BURST-022", op, isMissing ? { message: lacking, expected: "six headers", observed: "missing" } : null));
  }
  rows.push(...otherKeyRows(view), ...endpointRows(view, checks, cutsMs));
  const admission = checks.find((check) => check.id === "burst.over-admission")?.verdict;
  // A cooldown that ends too early is not an allowance without effect: what came after the allowance was refused.
  const effective = admission === "fail" && view.rounds.some((round) => isRefusedInTime(round, view.burst)) ? "pass" : admission;
  if (effective === "pass" || effective === "fail") {
    const message = `burst_limit ${view.burst} was set (#${view.change.seq}${view.isSetAtOnce ? ", at the same moment as cooldown_seconds" : ""}) and more than that was served before a cooldown can have been over: the allowance is not enforced`;
    const fault = effective === "pass" ? null : { message, expected: "enforced", observed: "not enforced" };
    rows.push(row("KEY-012", view.change, fault));
  }
  const sequential = view.rounds.find((round) => round.kind === "sequential");
  if (sequential && sequential.earliestMs !== null) {
    const kept = sequential.rejected.length > 0 || sequential.ops.some((op) => leastHeldMs(op) > view.cooldownMs / 4);
    const message = `after a PATCH of cooldown_seconds alone all of ${sequential.ops.length} requests were served at once: burst_limit ${view.burst} was no longer enforced`;
    const outcome = admission === "fail" ? "fail" : "inconclusive";
    const fault = { outcome, message, expected: "burst_limit unchanged", observed: "not enforced" } as const;
    rows.push(row("KEY-014", view.change, kept ? null : fault));
  }
  return rows;
}

function isRefusedInTime({ admitted, rejected }: BurstView["rounds"][number], burst: number): boolean {
  const refusedMs = Math.min(...rejected.map((op) => op.headersMs));
  return Number.isFinite(refusedMs) && admitted.filter((op) => op.sentMs < refusedMs).length <= burst;
}

/** Whether it lies within the part of a cooldown that is certain: after its latest begin and before its earliest end. */
function inCooldown(view: BurstView, op: LimitOp, cutsMs: readonly number[] = []): boolean {
  return view.rounds.some(
    (round) =>
      round.earliestMs !== null &&
      round.latestMs !== null &&
      op.sentMs > round.latestMs &&
      // A service that was away in between may have forgotten it.
      !cutsMs.some((cutMs) => cutMs > round.ops[0]!.sentMs && cutMs <= op.sentMs) &&
      op.sentMs < round.earliestMs + view.cooldownMs - 3000,
  );
}

function otherKeyRows(view: BurstView): readonly Occurrence[] {
  return view.otherKeyOps
    .filter((op) => inCooldown(view, op))
    .flatMap((op) =>
      ["BURST-012", "KEY-013"].map((requirement): Occurrence => {
        if (op.outcome === "admitted" && heldMs(op) < view.cooldownMs / 4) return row(requirement, op, null);
        const message = `#${op.seq} of key ${op.key}, which has used nothing up, was ${op.outcome === "admitted" ? `held back for ${(leastHeldMs(op) / 1000).toFixed(1)} s` : `answered ${op.status}`} while ${view.key} cooled down. A correct service serves it: a cooldown is that of one key`;
        const isExplained = op.outcome === "admitted" && (leastHeldMs(op) < view.cooldownMs / 4 || view.isStall(op));
        const outcome = op.outcome === "maybe" || isExplained ? "inconclusive" : "fail";
        return row(requirement, op, { outcome, message, expected: "served", observed: String(op.status) });
      }),
    );
}

/** A request that waited for so long was not served at once, ms. */
const heldAtLeastMs = 3000;

function endpointRows(view: BurstView, checks: readonly Check[], cutsMs: readonly number[]): readonly Occurrence[] {
  const rows: Occurrence[] = [];
  for (const op of view.ops.filter(
    (other) => other.endpoint !== "models" && isInPhase(other, "burst", "cooldown") && inCooldown(view, other, cutsMs),
  )) {
    const served = op.outcome === "admitted" && heldMs(op) < heldAtLeastMs;
    if (op.outcome === "admitted" && !served && leastHeldMs(op) < heldAtLeastMs) continue;
    const message = `${op.endpoint}${op.streamed ? ", streamed," : ""} (#${op.seq}) was served at once during the cooldown of key ${view.key}. A correct service refuses it with 429 or holds it: the cooldown is that of the key, on all endpoints`;
    rows.push(row("BURST-013", op, served ? { message, expected: "429 or queued", observed: String(op.status) } : null));
  }
  const mixed = view.rounds.find((round) => round.kind === "sequential");
  const last = mixed?.ops.findLast((op) => isInPhase(op, "burst", "sequential"));
  if (mixed && last) {
    const served = last.outcome === "admitted" && leastHeldMs(last) < view.cooldownMs / 4;
    const message = `${mixed.ops.filter((op) => isInPhase(op, "burst", "sequential")).length} requests to several endpoints, one after the other, were all served at once with an allowance of ${view.burst}. A correct service counts them together and refuses or holds what comes after the first ${view.burst}`;
    // Served lawfully where the allowance refilled, or where another minute began.
    const isProven =
      heldMs(last) < view.cooldownMs / 4 &&
      checks.some((check) => check.id === "burst.over-admission" && check.verdict === "fail");
    const outcome = isProven ? "fail" : "inconclusive";
    const fault = { outcome, message, expected: "429 or queued", observed: String(last.status) } as const;
    rows.push(row("BURST-014", last, served ? fault : null));
  }
  return rows;
}
