import type { ExamRecord } from "../probe/limit-probe.ts";
import { type BurstRound, burstRounds, type BurstTerms } from "./burst-rounds.ts";
import { explainWaits, findWatches, type WaitExplainer } from "./explain-waits.ts";
import { opsOf, type LimitOp } from "../history/op.ts";
import { momentsOf } from "../../core/exchange/moments.ts";
import type { SettingChange } from "../history/burst-settings.ts";

export interface BurstView extends BurstTerms {
  readonly key: string;
  readonly change: SettingChange;
  /** All changes of its settings. */
  readonly changes: readonly SettingChange[];
  /** Its settings were changed by requests that met: one of them may have been lost. */
  readonly isSetAtOnce: boolean;
  readonly ops: readonly LimitOp[];
  readonly rounds: readonly BurstRound[];
  readonly otherKeyOps: readonly LimitOp[];
  /** When the last request was sent that the service answered, whatever its key. */
  readonly lastAnsweredMs: number;
  readonly below: readonly LimitOp[];
  /** Whether the whole service, or the instrument, stood still while a request waited: then it was not held back. */
  readonly isStall: WaitExplainer;
  /** Whether somebody else asked the service in a span of the run clock. */
  readonly isWatched: (fromMs: number, toMs: number) => boolean;
  /** Until when an answer to the request was waited for; -Infinity: not known. */
  readonly waitedUntilMs: (op: LimitOp) => number;
  readonly exclusive: boolean;
  /** How long a confirmed change may take to be in force, ms. */
  readonly propagationMs: number;
}

type BurstRecord = Pick<ExamRecord, "history" | "changes" | "tolerances" | "manifest" | "exchanges" | "bySeq">;

/** null when no exam set an allowance for the key. */
export function viewBurst(
  key: string,
  { history, changes, tolerances, manifest: { exclusive, propagationSeconds }, exchanges, bySeq }: BurstRecord,
): BurstView | null {
  const exam = opsOf(history.ops, "burst");
  const ops = exam.filter((op) => op.key === key);
  const ownChanges = changes.filter(({ subject }) => subject === `key:${key}`);
  const change = findExamSettings(
    ownChanges,
    ops.reduce((first, { sentMs }) => Math.min(first, sentMs), Number.POSITIVE_INFINITY),
  );
  if (change === null) return null;
  const watches = findWatches(exchanges);
  const burst = change.settings["burst_limit"] ?? 0;
  const cooldownMs = (change.settings["cooldown_seconds"] ?? 0) * 1000;
  return {
    key,
    burst,
    cooldownMs,
    change,
    changes: ownChanges,
    isSetAtOnce: changes.some((other) => meet(other, change)),
    ops,
    rounds: burstRounds(ops, { burst, cooldownMs, tolerances }),
    otherKeyOps: exam.filter((op) => op.key !== key && op.sentMs >= change.sentMs && op.phase === "other-key"),
    lastAnsweredMs: history.ops.reduce((last, op) => (op.status === null ? last : Math.max(last, op.sentMs)), 0),
    below: ops.filter(({ phase }) => phase === "below-1" || phase === "below-2"),
    isStall: explainWaits(exchanges),
    isWatched: (fromMs, toMs) => watches(key, fromMs, toMs),
    waitedUntilMs({ seq }) {
      const exchange = bySeq.get(seq);
      return exchange === undefined ? Number.NEGATIVE_INFINITY : momentsOf(exchange).ended.latestMs;
    },
    tolerances,
    exclusive,
    propagationMs: propagationSeconds * 1000,
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
