import { isInPhase, type LimitOp, readsCounter } from "../history/op.ts";
import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import type { LimitTier } from "../../core/result/limits-result.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import { withholdAcross } from "../verdict/withhold-across.ts";
import { type Check, accused, inconclusive, passed, type CheckHead, checkHead } from "../verdict/check.ts";
import type { GroupView } from "../history/group-view.ts";
import { isOfExam } from "../history/is-of-exam.ts";
import { declaredRequests } from "../history/declared-requests.ts";
import { askBeforeAccusing } from "../probe/ask-before-accusing.ts";
import { checkClaims } from "./answers/claims.ts";
import { checkBypasses } from "./bypass.ts";
import { checkRemainingOnReject } from "./answers/limit-values.ts";
import { checkOverAdmission } from "./counting/over-admission.ts";
import { checkRestored } from "./counting/restored.ts";
import { checkUnreachableLimit } from "./counting/unreachable-limit.ts";
import { checkRetryKept } from "./answers/retry-after.ts";
import { checkRequests } from "./request-checks.ts";
import { identifyLimiter } from "../identify/identify.ts";
import { worstOf, undeclared, type PolicyJudgement, hasWithheld, openQuestion, policyVerdict } from "../probe/policy.ts";
import { requestTimeline } from "../history/timeline.ts";
import { verifyChecks } from "../certificates/verify-certificate.ts";
import { roundingOf, describeCoarseness } from "../history/rounding.ts";

const spec = "Limits > Rate limits (per key and per endpoint)";

const keyHead: CheckHead = checkHead("limits.keys-share-counter", 2);

const endpointHead: CheckHead = checkHead("limits.endpoints-share-counter", 2);

/**
 * While one key and endpoint is drained, `remaining` of another pair falls by its own requests only. `other` is the pair
 * that must not notice; needs a reading of it before and after.
 */
function checkIsolation(drained: GroupView, other: GroupView): Check {
  const head = drained.key === other.key ? endpointHead : keyHead;
  const { tolerances } = other;
  const readings = other.ops.filter((op) => op.requests.remaining !== null && readsCounter(op));
  const from = drained.admitted[0];
  const visitedMs = Math.min(...readings.map(({ headersMs }) => headersMs));
  // It may have been used up before the other side was visited at all.
  const until = drained.rejected.find(({ sentMs }) => sentMs > visitedMs);
  const before = readings.find((op) => until && op.headersMs < until.sentMs);
  const after = readings.findLast((op) => op !== before && until && op.sentMs > until.headersMs);
  if (!from || !until || !before || !after || before.headersMs >= after.sentMs) {
    return inconclusive(head, readings.length, "no reading of the other side before and after the drain");
  }
  if (!other.exclusive) return inconclusive(head, readings.length, "the keys are not declared exclusive");
  const rounding = roundingOf([...readings, ...drained.admitted], other.limit ?? 60);
  for (const late of readings.filter((op) => op.sentMs > before.headersMs + tolerances.fuzzMs)) {
    const own = other.contenders.possible(before.sentMs - tolerances.fuzzMs, late.headersMs + tolerances.fuzzMs);
    const fell = before.requests.remaining! - late.requests.remaining!;
    const foreign = drained.consumers.possible(before.headersMs, late.headersMs);
    // Some limiters round what they show: more than a sixth of a limit that is not small is no rounding.
    if (fell <= own + Math.max(rounding - 1, 1, (other.limit ?? 60) / 6) || foreign < fell - own) continue;
    return accused(head, readings.length, "fail", {
      kind: "isolation",
      message: `remaining of ${other.key}, ${other.endpoint} fell by ${fell} from #${before.seq} to #${late.seq} with at most ${own} requests of its own, while ${drained.key}, ${drained.endpoint} sent ${foreign}`,
      rule: "Each key has an allowance of its own on each endpoint.",
      spec,
      ops: [before, late],
      parameters: { fell, own, foreign, drained: drained.id, other: other.id },
      correct: `remaining at least ${before.requests.remaining! - own}`,
      expected: `remaining at least ${before.requests.remaining! - own}`,
      observed: `remaining ${late.requests.remaining}`,
    });
  }
  const coarse = describeCoarseness(rounding, other.limit ?? 60);
  if (coarse !== null) return inconclusive(head, readings.length, coarse);
  return passed(head, readings.length, `remaining of ${other.key}, ${other.endpoint} fell by its own requests only`);
}

/** Checks without which a request limit counts as not judged. */
const gates: ReadonlySet<LimitCheckId> = new Set([
  "limits.under-admission",
  "limits.retry-after-form",
  "limits.lost-updates",
  "limits.algorithm",
]);

/** Judges the request limit of one key on one endpoint. */
export function judgeRequestPolicy(view: GroupView, others: readonly GroupView[], manifest: ManifestFacts): PolicyJudgement {
  const declaredLimit = declaredRequests(manifest, view.key);
  const isolation = others.flatMap((other) => verifyChecks([checkIsolation(view, other)], other));
  const own = verifyChecks([...checkRequests(view, declaredLimit), ...checkBypasses(view)], view).flatMap((check) =>
    check.id === "limits.second-limit" && check.verdict !== "fail" ? [check, ...warnOfUnreachable(view, others)] : [check],
  );
  const certain = [...own.map((check) => (check.verdict === "fail" ? check : (keptAside(check, others) ?? check))), ...isolation];
  const identified = identifyLimiter(view, manifest.limits.algorithm, view.strict);
  const checks = withholdAcross(askBeforeAccusing([...certain, settleMisfit(identified.check, certain)], view.tolerances), {
    cutsMs: view.cutsMs,
    ops: view.ops,
    again(fromMs, untilMs) {
      const side = view.within(fromMs, untilMs);
      return askBeforeAccusing(
        verifyChecks([...checkRequests(side, declaredLimit), ...checkBypasses(side)], side),
        view.tolerances,
      );
    },
  });
  const isMisfit = checks.some(({ id, tier: own }) => id === "limits.algorithm" && own === "unexplained");
  const tier = policyTier(checks, identified.tier === "unexplained" && !isMisfit ? "inconclusive" : identified.tier);
  return {
    id: `requests/${view.id}`,
    title: `Requests per ${view.tolerances.windowMs / 1000} s, key ${view.key}, ${view.endpoint ?? "other paths"}`,
    kind: "requests",
    key: view.key,
    endpoint: view.endpoint,
    declared: {
      ...undeclared,
      limit: declaredLimit,
      windowSeconds: view.tolerances.windowMs / 1000,
      algorithm: manifest.limits.algorithm,
    },
    tier,
    drivenBy: view.ops.some(isOfExam) ? "exam" : "passing",
    verdict: policyVerdict(tier, checks),
    summary: summarize(tier, checks, view),
    checks,
    identification: identified.identification,
    tolerances: { ...view.tolerances },
    timeline: requestTimeline(view),
  };
}

function warnOfUnreachable(view: GroupView, others: readonly GroupView[]): readonly Check[] {
  const warning = checkUnreachableLimit(view, others);
  return warning === null ? [] : [warning];
}

const keptAsideBy: Partial<Record<LimitCheckId, (view: GroupView) => Check>> = {
  "limits.remaining-not-restored": checkRestored,
  "limits.remaining-not-granted": checkClaims,
  "limits.remaining-on-refusal": checkRemainingOnReject,
  "limits.retry-after-too-short": checkRetryKept,
  "limits.over-admission": checkOverAdmission,
};

/** The verdict of another key, used meanwhile, or of the other endpoint after a silent window, on the same question. */
function keptAside(check: Check, others: readonly GroupView[]): Check | undefined {
  const asked = keptAsideBy[check.id];
  if (asked === undefined) return undefined;
  const isUsed = (op: LimitOp): boolean => isInPhase(op, "requests", "R") || isInPhase(op, "requests", "Q");
  for (const other of others.filter(({ ops }) => ops.some(isUsed))) {
    const found = verifyChecks([asked(other)], other).find(({ verdict }) => verdict === "fail");
    if (found === undefined) continue;
    const afterSilence = other.ops.some((op) => isInPhase(op, "requests", "Q"));
    const place = afterSilence ? `${other.endpoint}, after a silent window` : `key ${other.key}, used meanwhile`;
    return { ...found, message: `${place}: ${found.message}` };
  }
  return undefined;
}

/** Remaining is judged either by windows that lose nothing or by a family that explains it. */
function policyTier(checks: readonly Check[], identified: LimitTier): LimitTier {
  if (checks.some((check) => check.tier === "violation")) return "violation";
  if (identified === "unexplained" && !hasWithheld(checks)) return "unexplained";
  const isOpen = (id: LimitCheckId): boolean => checks.some((check) => check.id === id && check.tier === "inconclusive");
  if (openQuestion("requests", checks) !== null || (isOpen("limits.lost-updates") && identified === "inconclusive"))
    return "inconclusive";
  return identified === "consistent" ? "consistent" : "unrefuted";
}

function summarize(tier: LimitTier, checks: readonly Check[], view: GroupView): string {
  const wrong = worstOf(checks);
  if (wrong && (tier !== "inconclusive" || wrong.verdict === "fail")) return wrong.message;
  if (tier === "inconclusive") {
    if (view.unstated && view.limit === null)
      return "not enough evidence: no answer states a limit. Where limits.requestsPerMinute declares it, admissions, refusals and waits are judged";
    const open =
      checks.find(({ withheld }) => withheld === true) ??
      checks.find((check) => gates.has(check.id) && check.tier === "inconclusive");
    return open ? `not enough evidence: ${open.message}` : "not enough evidence";
  }
  return `${view.admitted.length} admitted, ${view.rejected.length} rejected: no check contradicts a correct limiter`;
}

/** Contradictions in what is admitted and counted: no algorithm can explain a history that holds one of them. */
const ofCounting: ReadonlySet<LimitCheckId> = new Set([
  "limits.over-admission",
  "limits.under-admission",
  "limits.remaining-not-granted",
  "limits.lost-updates",
  "limits.phantom-consumption",
  "limits.early-renewal",
  "limits.remaining-range",
  "limits.remaining-on-refusal",
  "limits.remaining-not-restored",
  "limits.limit-changed",
  "limits.reset-not-kept",
  "limits.retry-after-too-short",
  "limits.keys-share-counter",
  "limits.endpoints-share-counter",
  "limits.path-bypass",
  "limits.identity-bypass",
  "limits.capacity-above-limit",
  "limits.refusal-of-another-kind",
]);

/**
 * A history that no algorithm explains is news only while nothing else is known to be wrong with what the limiter counts: beside
 * such a finding it would send a reader to a window that is declared well.
 */
export function settleMisfit(algorithm: Check, found: readonly Check[]): Check {
  const known = found.find(({ id, verdict }) => verdict === "fail" && ofCounting.has(id));
  if (known === undefined || algorithm.tier !== "unexplained") return algorithm;
  const message = `not judged: no algorithm explains a history that contradicts itself (${known.id})`;
  return { ...algorithm, tier: "inconclusive", verdict: "inconclusive", message, certificate: null, exchanges: [] };
}
