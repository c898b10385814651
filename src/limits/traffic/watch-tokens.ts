import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import type { Overshoot } from "../../core/result/limits-result.ts";
import { groupId } from "../history/history.ts";
import { answeredFromMs, type LimitOp } from "../history/op.ts";
import { timelineOp } from "../history/timeline.ts";
import { tolerancesFor, type Tolerances } from "../history/tolerances.ts";
import { emptyTimeline, hasWithheld, policyVerdict, undeclared, type PolicyJudgement } from "../probe/policy.ts";
import { type Check, checkHead, inconclusive, passed } from "../verdict/check.ts";
import { verifyPolicyChecks } from "../certificates/verify-policy-certificate.ts";
import type { LimitsJudgement } from "../exam/judge-limits.ts";
import { accuseLate, type LateAdmission, withOvershoot } from "../tokens/check-token-limit.ts";
import { joinOvershoots, measureOvershoot } from "../tokens/measure-overshoot.ts";
import { trafficJudgement } from "./traffic-judgement.ts";
import { mostRefill } from "../tokens/most-refill.ts";
import { groupBy } from "../../core/group-by.ts";
import { certainlyCharged } from "../history/certainly-charged.ts";
import { chargeDelayUnderLoadMs } from "./charge-delay-under-load.ts";

/** Judges the token limits of all keys over the traffic of a load profile, in bounded memory. */
export interface TokenWatch {
  readonly onOp: (op: LimitOp) => void;
  /** null where no key came near a stated limit of tokens. */
  readonly finish: () => LimitsJudgement | null;
}

/** Fewer answers are no load. */
const fewestAnswers = 40;
/** Answers that are held of one key and endpoint at most: then those of the oldest windows are judged and let go. */
const mostHeld = 20_000;

interface Group {
  readonly key: string;
  readonly endpoint: EndpointId | null;
  /** Answers of the windows that may still grow. */
  held: LimitOp[];
  seen: number;
  /** Answers of a window that do not report their usage: none of them is held. */
  withoutUsage: number;
  limit: number;
  refused: LimitOp | null;
  overshoot: Overshoot | null;
  late: LateAdmission | null;
}

export function watchTokens(manifest: ManifestFacts): TokenWatch {
  const tolerances = tolerancesFor(manifest);
  const groups = new Map<string, Group>();

  const judge = (group: Group, ops: readonly LimitOp[]): void => {
    group.overshoot = joinOvershoots(group.overshoot, measureOvershoot(ops));
    group.late ??= findLateAdmission(ops, tolerances);
  };
  const letGo = (group: Group): void => {
    const half = group.held.toSorted((a, b) => (a.tokens.resetMs ?? 0) - (b.tokens.resetMs ?? 0));
    const untilMs = half[mostHeld / 2]?.tokens.resetMs ?? 0;
    judge(
      group,
      half.filter(({ tokens }) => (tokens.resetMs ?? 0) < untilMs),
    );
    const kept = half.filter(({ tokens }) => (tokens.resetMs ?? 0) >= untilMs);
    // A label that all of them bear is that of no window that ends.
    group.held = kept.length < mostHeld ? kept : [];
  };

  return {
    onOp(op) {
      if (op.cached || op.tokens.limit === null) return;
      const id = groupId(op.key, op.endpoint);
      const group = groups.get(id) ?? startGroup(op, op.tokens.limit);
      groups.set(id, group);
      if (op.outcome === "rejected" && op.cause === "tokens") group.refused ??= op;
      if (op.outcome !== "admitted" || op.tokens.resetMs === null) return;
      if (op.usedTokens === null) {
        group.withoutUsage += 1;
        return;
      }
      group.seen += 1;
      group.held.push(op);
      if (group.held.length >= mostHeld) letGo(group);
    },
    finish() {
      const policies: PolicyJudgement[] = [];
      for (const [id, group] of groups) {
        judge(group, group.held);
        if (group.seen < fewestAnswers || group.overshoot === null) continue;
        const overshoot = { ...group.overshoot, withoutUsage: group.withoutUsage };
        const cited = group.late === null ? [] : [...group.late.window, group.late.late];
        const checks = verifyPolicyChecks([withOvershoot(checkOf(group), overshoot)], cited);
        const tier = checks.some(({ verdict }) => verdict === "fail")
          ? "violation"
          : group.refused === null || hasWithheld(checks)
            ? "inconclusive"
            : "unrefuted";
        policies.push({
          id: `tokens/${id}`,
          title: `Tokens under load, ${id}`,
          kind: "tokens",
          key: group.key,
          endpoint: group.endpoint,
          declared: { ...undeclared, limit: group.limit, windowSeconds: tolerances.windowMs / 1000 },
          tier,
          drivenBy: "load",
          verdict: policyVerdict(tier, checks),
          summary: checks[0]?.message ?? "",
          checks,
          identification: null,
          tolerances: { ...tolerances },
          timeline: { ...emptyTimeline, ops: cited.map((op) => timelineOp(op, null)) },
        });
      }
      return policies.length === 0 ? null : trafficJudgement(policies);
    },
  };
}

function startGroup({ key, endpoint }: LimitOp, limit: number): Group {
  return { key, endpoint, held: [], seen: 0, withoutUsage: 0, limit, refused: null, overshoot: null, late: null };
}

/** The words are those of the exam. */
function checkOf({ seen, refused, late, limit }: Group): Check {
  const head = checkHead("tokens.over-admission");
  if (late !== null) return accuseLate(seen, late);
  return refused === null
    ? inconclusive(head, seen, "the token limit was not reached")
    : passed(head, seen, `refused at the token limit of ${limit} (#${refused.seq})`);
}

/**
 * A request that was admitted before its window ended, and long after answers of the same label had used up its tokens. A label of the past,
 * or one further away than a window, names no window that the request was counted in. null: none.
 */
function findLateAdmission(ops: readonly LimitOp[], tolerances: Tolerances): LateAdmission | null {
  const { windowMs, granularityMs, fuzzMs } = tolerances;
  for (const own of groupBy(ops, ({ tokens }) => `${tokens.limit} ${tokens.resetMs}`).values()) {
    const { limit, resetMs } = own[0].tokens;
    if (limit === null || resetMs === null) continue;
    const byEnd = own.toSorted((a, b) => a.endMs - b.endMs);
    let [ended, used, firstMs] = [0, 0, Number.POSITIVE_INFINITY];
    for (const late of own.toSorted((a, b) => a.sentMs - b.sentMs)) {
      for (
        let next = byEnd[ended];
        next !== undefined && next.endMs + chargeDelayUnderLoadMs < late.sentMs;
        next = byEnd[ended]
      ) {
        used += certainlyCharged(next);
        firstMs = Math.min(firstMs, next.sentMs);
        ended += 1;
      }
      const refill = mostRefill(
        limit,
        { fromMs: firstMs, untilMs: late.headersMs, slackMs: tolerances.granularityMs },
        tolerances,
      );
      if (ended === 0 || used < limit + refill) continue;
      const [fromMs, untilMs] = [answeredFromMs(late), late.headersMs].map((atMs) => late.dateMs ?? onOwnClock(atMs, late));
      if (fromMs === undefined || untilMs === undefined || fromMs === null || untilMs === null) continue;
      const isAhead = untilMs + fuzzMs < resetMs && resetMs <= fromMs + windowMs + granularityMs;
      if (isAhead) return { ...latestOf(byEnd.slice(0, ended), limit + refill), late, limit, refill };
    }
  }
  return null;
}

function onOwnClock(atMs: number, { ownOffsetMs }: LimitOp): number | null {
  return ownOffsetMs === null ? null : atMs + ownOffsetMs;
}

/** The last of them that prove it. */
function latestOf(ended: readonly LimitOp[], needed: number): Pick<LateAdmission, "window" | "used"> {
  let [from, used] = [ended.length, 0];
  while (from > 0 && used < needed) {
    from -= 1;
    const op = ended[from];
    if (op !== undefined) used += certainlyCharged(op);
  }
  return { window: ended.slice(from), used };
}
