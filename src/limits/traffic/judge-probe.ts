import type { ManifestFacts } from "../../core/manifest.ts";
import { speaksOfAnotherLimit } from "../burst/burst-checks.ts";
import { verifyPolicyChecks } from "../certificates/verify-policy-certificate.ts";
import type { LimitOp } from "../history/op.ts";
import { timelineOp } from "../history/timeline.ts";
import { type Tolerances, tolerancesFor } from "../history/tolerances.ts";
import { askBeforeAccusing } from "../probe/ask-before-accusing.ts";
import { emptyTimeline, policyVerdict, type PolicyJudgement, undeclared, worstOf } from "../probe/policy.ts";
import { checkPhantomTokens } from "../tokens/check-phantom-tokens.ts";
import { accused, type Check, checkHead, inconclusive, passed } from "../verdict/check.ts";
import { chargeDelayUnderLoadMs } from "./charge-delay-under-load.ts";

export interface ProbeOps {
  /** Name of the key. */
  readonly key: string;
  /** All its requests while the load ran. */
  readonly ops: readonly LimitOp[];
  /** Those of them whose refusal names the burst limit or its cooldown. */
  readonly ofBurst: ReadonlySet<number>;
  readonly manifest: ManifestFacts;
}

/** Tokens and bursts of a key that asks a little while the load of another one runs. Empty where its answers state no token limit and the manifest no allowance. */
export function judgeProbe({ key, ops, ofBurst, manifest }: ProbeOps): readonly PolicyJudgement[] {
  const tolerances = tolerancesFor(manifest);
  const { exclusive } = manifest;
  const [first] = ops.toSorted((a, b) => a.sentMs - b.sentMs);
  if (first === undefined) return [];
  // Requests of the key before the load may be charged until then.
  const known = { tolerances, exclusive, delayMs: chargeDelayUnderLoadMs, knownFromMs: first.sentMs };
  const limit = ops.find(({ tokens }) => tokens.limit !== null)?.tokens.limit ?? null;
  const settings = manifest.restore.keys[key];
  const burst = settings?.burst_limit ?? null;
  const cooldownSeconds = settings?.cooldown_seconds ?? 0;
  const allowance = { burst: burst ?? 0, cooldownMs: 1000 * cooldownSeconds, exclusive, ofBurst, knownFromMs: first.sentMs };
  const policy = (kind: "tokens" | "burst", title: string, check: Check, declared: object): PolicyJudgement => {
    const checks = askBeforeAccusing(verifyPolicyChecks([check], ops), tolerances);
    const failed = checks.some(({ verdict }) => verdict === "fail");
    const tier = failed ? "violation" : check.verdict === "pass" ? "unrefuted" : "inconclusive";
    const cited = new Set(checks.flatMap(({ exchanges }) => exchanges));
    return {
      id: `${kind}/${key}/probe`,
      title: `${title}, key ${key}`,
      kind,
      key,
      endpoint: null,
      declared: { ...undeclared, ...declared },
      tier,
      drivenBy: "load",
      verdict: policyVerdict(tier, checks),
      summary: worstOf(checks)?.message ?? check.message,
      checks,
      identification: null,
      tolerances: { ...tolerances },
      timeline: { ...emptyTimeline, ops: ops.filter(({ seq }) => cited.has(seq)).map((op) => timelineOp(op, null)) },
    };
  };
  return [
    ...(limit === null
      ? []
      : [
          policy("tokens", "Tokens of a probe", checkPhantomTokens(ops, known), {
            limit,
            windowSeconds: tolerances.windowMs / 1000,
          }),
        ]),
    ...(burst === null || burst < 1
      ? []
      : [
          policy("burst", "Burst allowance of a probe", checkBelowAllowance(ops, allowance, tolerances), {
            limit: burst,
            cooldownSeconds,
          }),
        ]),
  ];
}

interface Allowance {
  readonly burst: number;
  readonly cooldownMs: number;
  readonly exclusive: boolean;
  readonly ofBurst: ReadonlySet<number>;
  /** Before this instant requests of the key may be missing. */
  readonly knownFromMs: number;
}

/**
 * A refusal by the burst limit although the key sent fewer requests than its allowance in the minute and the cooldown before: attempts that
 * were refused count as well, as they may prolong a cooldown. A wait is no refusal here: a busy service answers late.
 */
function checkBelowAllowance(
  ops: readonly LimitOp[],
  { burst, cooldownMs, exclusive, ofBurst, knownFromMs }: Allowance,
  { windowMs, granularityMs }: Tolerances,
): Check {
  const head = checkHead("burst.under-admission");
  if (!exclusive) return inconclusive(head, 0, "the key is not declared exclusive: others may have used its allowance");
  const spanMs = windowMs + cooldownMs + granularityMs;
  let considered = 0;
  for (const op of ops) {
    // Attempts may prolong a cooldown that an earlier use of the key began: it is over after a silence as long, or when a request was served.
    const isAfterSilence = !ops.some(
      ({ sentMs, headersMs }) => sentMs < op.sentMs && headersMs > op.sentMs - cooldownMs - granularityMs,
    );
    const served = ops.findLast(({ outcome, headersMs }) => outcome === "admitted" && headersMs <= op.sentMs);
    if (op.status === null || (!isAfterSilence && served === undefined)) continue;
    const servedMs = isAfterSilence ? Number.POSITIVE_INFINITY : (served?.sentMs ?? op.sentMs);
    const sinceMs = Math.min(op.sentMs - spanMs, servedMs - windowMs - granularityMs);
    if (sinceMs < knownFromMs) continue;
    const reachMs = op.headersMs;
    const others = ops.filter((other) => other !== op && other.headersMs >= sinceMs && other.sentMs <= reachMs).length;
    if (others >= burst) continue;
    considered += 1;
    if (op.outcome !== "rejected" || !ofBurst.has(op.seq) || speaksOfAnotherLimit(op)) continue;
    return accused(head, considered, "fail", {
      kind: "burst-under-probe",
      message: `#${op.seq} was refused by the burst limit although the key sent at most ${others} other requests in the ${((op.sentMs - sinceMs) / 1000).toFixed(0)} s before it, at least a minute and a cooldown; its allowance is ${burst}. A correct service serves it, whatever other keys send`,
      rule: "Up to burst_limit requests a minute of a key are served, whatever other keys send.",
      spec: "Limits > Burst and cooldown",
      ops: isAfterSilence || served === undefined ? [op] : [served, op],
      parameters: { burst, others, sinceMs, reachMs, windowMs, cooldownMs, granularityMs },
      lawfulAlternative: `#${op.seq} is served`,
      expected: "served",
      observed: "429",
    });
  }
  if (considered === 0) {
    const seconds = Math.ceil(spanMs / 1000);
    return inconclusive(
      head,
      0,
      `no request came after ${seconds} s of fewer requests than the allowance of ${burst}: the load is too short, or the probe asks too often`,
    );
  }
  return passed(head, considered, `${considered} requests: none was refused below the allowance of ${burst}`);
}
