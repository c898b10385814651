import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { RoundPhase, RoundSuffix } from "../../core/exchange/round-phase.ts";
import type { ExamRecord } from "../probe/limit-probe.ts";
import { explainWaits } from "./explain-waits.ts";
import { opsOf, type LimitOp } from "../history/op.ts";
import { momentsOf } from "../../core/exchange/moments.ts";
import type { SettingChange } from "../history/burst-settings.ts";
import type { Tolerances } from "../history/tolerances.ts";

/** One use of the allowance: the requests of a round, over all endpoints of the key. */
export interface BurstRound extends RoundOps {
  /** The cooldown had begun by then: receipt of the first refusal, or of the last admitted answer of the allowance. */
  readonly latestMs: number | null;
}

export interface BurstView {
  readonly key: string;
  readonly burst: number;
  readonly cooldownMs: number;
  readonly change: SettingChange;
  /** Its settings were changed by requests that met: one of them may have been lost. */
  readonly isSetAtOnce: boolean;
  readonly ops: readonly LimitOp[];
  readonly rounds: readonly BurstRound[];
  readonly otherKeyOps: readonly LimitOp[];
  /** When the last request was sent that the service answered, whatever its key. */
  readonly lastAnsweredMs: number;
  readonly below: readonly LimitOp[];
  /** Whether the whole service, or the instrument, stood still while a request waited: then it was not held back. */
  readonly isStall: (op: LimitOp) => boolean;
  /** Until when an answer to the request was waited for; -Infinity: not known. */
  readonly waitedUntilMs: (op: LimitOp) => number;
  readonly tolerances: Tolerances;
  readonly exclusive: boolean;
}

type BurstRecord = Pick<ExamRecord, "history" | "changes" | "tolerances" | "manifest" | "exchanges" | "bySeq">;

/** null when no exam set an allowance for the key. */
export function viewBurst(
  key: string,
  { history, changes, tolerances, manifest: { exclusive }, exchanges, bySeq }: BurstRecord,
): BurstView | null {
  const exam = opsOf(history.ops, "burst");
  const ops = exam.filter((op) => op.key === key);
  const change = findExamSettings(
    changes.filter(({ subject }) => subject === `key:${key}`),
    ops.reduce((first, { sentMs }) => Math.min(first, sentMs), Number.POSITIVE_INFINITY),
  );
  if (change === null) return null;
  const burst = change.settings["burst_limit"] ?? 0;
  const cooldownMs = (change.settings["cooldown_seconds"] ?? 0) * 1000;
  const phases = (suffix: RoundSuffix, ...names: RoundPhase[]): readonly LimitOp[] => {
    const wanted: ReadonlySet<LimitPhases["burst"]> = new Set(names.map((name) => `${name}${suffix}` as const));
    return ops.filter((op) => wanted.has(op.phase));
  };
  // The request that found the cooldown over used the first of the next allowance, where the burst followed at once.
  const resumed = (suffix: RoundSuffix): readonly LimitOp[] => {
    const [first] = phases(suffix, "volley");
    return phases(suffix, "resume-hinted", "resume").filter(
      (op) => op.outcome === "admitted" && first !== undefined && first.sentMs - op.headersMs < tolerances.windowMs,
    );
  };
  const volley = (suffix: RoundSuffix): readonly LimitOp[] => [
    ...resumed(suffix),
    ...phases(suffix, "volley", "cooldown", "after"),
  ];
  const sequential = (suffix: RoundSuffix): readonly LimitOp[] =>
    phases(suffix, "sequential", "quiet-hinted", "quiet-after", "resume-hinted", "resume");
  const volleys = [volley(""), phases("", "second"), phases("-again", "second"), volley("-again")];
  const rounds = [
    ...volleys.map((round) => roundOf("volley", round, burst, cooldownMs)),
    ...[sequential(""), sequential("-again")].map((round) => roundOf("sequential", round, burst, cooldownMs)),
  ].filter((round) => round.ops.length > 0);
  return {
    key,
    burst,
    cooldownMs,
    change,
    isSetAtOnce: changes.some((other) => meet(other, change)),
    ops,
    rounds,
    otherKeyOps: exam.filter((op) => op.key !== key && op.sentMs >= change.sentMs && op.phase === "other-key"),
    lastAnsweredMs: history.ops.reduce((last, op) => (op.status === null ? last : Math.max(last, op.sentMs)), 0),
    below: ops.filter(({ phase }) => phase === "below-1" || phase === "below-2"),
    isStall: explainWaits(exchanges),
    waitedUntilMs({ seq }) {
      const exchange = bySeq.get(seq);
      return exchange === undefined ? Number.NEGATIVE_INFINITY : momentsOf(exchange).ended.latestMs;
    },
    tolerances,
    exclusive,
  };
}

/**
 * The change after which both settings stand that are in force when the exam begins: made by it, or by it and others before. Checks of
 * settings may have changed those of the same key earlier in the run.
 */
function findExamSettings(changes: readonly SettingChange[], beginMs: number): SettingChange | null {
  const settings: Record<string, number | null> = {};
  let found: SettingChange | null = null;
  for (const change of changes) {
    if (!Number.isFinite(change.answeredMs) || change.sentMs > beginMs) continue;
    Object.assign(settings, change.settings);
    const { burst_limit: burst, cooldown_seconds: cooldown } = settings;
    if (typeof burst !== "number" || typeof cooldown !== "number") found = null;
    else if (found?.settings["burst_limit"] !== burst || found.settings["cooldown_seconds"] !== cooldown)
      found = { ...change, settings: { ...settings } };
  }
  return found;
}

function meet(one: SettingChange, other: SettingChange): boolean {
  const isAnother = one.seq !== other.seq && one.subject === other.subject && Number.isFinite(one.answeredMs);
  return isAnother && one.sentMs < other.answeredMs && other.sentMs < one.answeredMs;
}

function roundOf(kind: BurstRound["kind"], ops: readonly LimitOp[], burst: number, cooldownMs: number): BurstRound {
  const { round, refusalMs } = readRound(kind, ops, burst);
  const answers = round.admitted.map((op) => op.headersMs).sort((a, b) => a - b);
  const full = answers[burst - 1];
  // If requests are held, the cooldown had begun soon after the first of them arrived.
  const held = round.admitted.filter((op) => op.headersMs - op.sentMs > cooldownMs / 4);
  const beganMs = held.length > 0 ? Math.min(...held.map((op) => op.sentMs)) : (full ?? null);
  return { ...round, latestMs: refusalMs ?? (beganMs === null ? null : beganMs + 3000) };
}

/** One use of a burst allowance, as its requests say it. */
export interface RoundOps {
  readonly kind: "volley" | "sequential";
  readonly ops: readonly LimitOp[];
  readonly admitted: readonly LimitOp[];
  readonly rejected: readonly LimitOp[];
  /** Earliest instant at which the allowance can have been used up: the send instant of its last request. */
  readonly earliestMs: number | null;
}

/** `refusalMs`: receipt of the first refusal, null when nothing was refused. */
export function readRound(
  kind: RoundOps["kind"],
  ops: readonly LimitOp[],
  burst: number,
): { readonly round: RoundOps; readonly refusalMs: number | null } {
  const admitted = ops.filter((op) => op.outcome === "admitted");
  const rejected = ops.filter((op) => op.outcome === "rejected");
  // A request that was never answered may have been served as well.
  const last = ops.filter((op) => op.outcome === "admitted" || op.outcome === "maybe")[burst - 1];
  const refusalMs = rejected.reduce((least, op) => Math.min(least, op.headersMs), Number.POSITIVE_INFINITY);
  return {
    round: { kind, ops, admitted, rejected, earliestMs: last?.sentMs ?? null },
    refusalMs: Number.isFinite(refusalMs) ? refusalMs : null,
  };
}
