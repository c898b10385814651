import type { ManifestFacts } from "../../core/manifest.ts";
import { type BurstRound, readRound } from "../burst/burst-rounds.ts";
import type { BurstView } from "../burst/burst-view.ts";
import { explainWaitsUnderLoad } from "../burst/explain-waits.ts";
import { judgeBurst } from "../burst/judge-burst.ts";
import type { LimitsJudgement } from "../exam/judge-limits.ts";
import type { LimitOp } from "../history/op.ts";
import { type PolicyJudgement, policyVerdict } from "../probe/policy.ts";
import { type Tolerances, tolerancesFor } from "../history/tolerances.ts";
import { trafficJudgement } from "./traffic-judgement.ts";

/** Judges burst allowance and cooldown of one key over the traffic of a load profile. */
export interface BurstWatch {
  readonly onOp: (op: LimitOp) => void;
  /** null where the key sent nothing. */
  readonly finish: () => LimitsJudgement | null;
}

/** Requests that are looked at, at most: a profile with more is about load and not about cooldowns. */
const mostOps = 20_000;

/** null where the manifest does not say (`restore`) which allowance and cooldown are in force for the key. */
export function watchBursts(manifest: ManifestFacts, key: string): BurstWatch | null {
  const settings = manifest.restore.keys[key];
  const burst = settings?.burst_limit ?? null;
  const cooldown = settings?.cooldown_seconds ?? null;
  if (burst === null || cooldown === null || burst < 1) return null;
  const tolerances = tolerancesFor(manifest);
  const ops: LimitOp[] = [];
  return {
    onOp(op) {
      if (op.key === key && ops.length < mostOps) ops.push(op);
    },
    finish() {
      if (ops.length === 0) return null;
      ops.sort((a, b) => a.sentMs - b.sentMs || a.seq - b.seq);
      const cooldownMs = 1000 * cooldown;
      // Requests of others before the profile, or its own questions about usage, may have used some of the first allowance.
      const rounds = cutRounds(ops, cooldownMs, tolerances)
        .slice(1)
        .map((members) => roundOf(members, burst));
      const change = { seq: 0, subject: `key:${key}`, sentMs: -Infinity, answeredMs: -Infinity, settings: {} };
      const view: BurstView = {
        key,
        burst,
        cooldownMs,
        change,
        changes: [],
        isSetAtOnce: false,
        ops,
        rounds,
        otherKeyOps: [],
        lastAnsweredMs: 0,
        below: [],
        isStall: explainWaitsUnderLoad(ops),
        // The requests of the key itself are all that is seen of the service, and go on.
        isWatched: () => true,
        waitedUntilMs: () => Number.NEGATIVE_INFINITY,
        tolerances,
        exclusive: manifest.exclusive,
        propagationMs: manifest.propagationSeconds * 1000,
      };
      const policy = withoutShortWaits(judgeBurst(view, manifest, new Map(), null).policy, cooldownMs, tolerances);
      return trafficJudgement([{ ...policy, drivenBy: "load" }]);
    },
  };
}

/** The requests between two silences that restore every allowance, wherever minutes begin. */
function cutRounds(ops: readonly LimitOp[], cooldownMs: number, tolerances: Tolerances): readonly (readonly LimitOp[])[] {
  const silenceMs = tolerances.windowMs + cooldownMs + 2 * tolerances.granularityMs + tolerances.fuzzMs + tolerances.virtualLagMs;
  const rounds: LimitOp[][] = [];
  let quietFromMs = -Infinity;
  for (const op of ops) {
    if (rounds.length === 0 || op.sentMs - quietFromMs > silenceMs) rounds.push([]);
    rounds.at(-1)?.push(op);
    // A request that was not answered may be counted as late as its time ran out.
    quietFromMs = Math.max(quietFromMs, Number.isFinite(op.headersMs) ? op.headersMs : op.sentMs);
  }
  return rounds;
}

/** As the exam of limits sees a volley and the attempts after it. */
function roundOf(ops: readonly LimitOp[], burst: number): BurstRound {
  const { round, refusalMs } = readRound("volley", ops, burst);
  return { ...round, latestMs: refusalMs, usedFromMs: null };
}

/**
 * After a cooldown of less than a minute the allowance of that minute may still be used up, and a refusal that named the cooldown
 * alone is followed by another: lawful, where the specification does not say what is restored.
 */
function withoutShortWaits(policy: PolicyJudgement, cooldownMs: number, { windowMs }: Tolerances): PolicyJudgement {
  if (cooldownMs >= windowMs) return policy;
  const checks = policy.checks.filter(({ id }) => id !== "burst.retry-after-too-short");
  const isWrong = checks.some(({ verdict }) => verdict === "fail");
  const tier = policy.tier === "violation" && !isWrong ? "unrefuted" : policy.tier;
  return { ...policy, checks, tier, verdict: policyVerdict(tier, checks) };
}
