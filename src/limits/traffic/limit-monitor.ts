import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import { burstSettings } from "../history/burst-settings.ts";
import { measureClockOffset } from "../history/clock-offset.ts";
import { inconclusive, type Check } from "../verdict/check.ts";
import { checkRequests } from "../requests/request-checks.ts";
import type { LimitsJudgement } from "../exam/judge-limits.ts";
import { viewGroup } from "../history/group-view.ts";
import { groupId } from "../history/history.ts";
import type { LimitOp } from "../history/op.ts";
import { emptyTimeline, worstOf, undeclared, type PolicyJudgement, hasWithheld, policyVerdict } from "../probe/policy.ts";
import { declaredRequests } from "../history/declared-requests.ts";
import { requestTimeline } from "../history/timeline.ts";
import { tolerancesFor, type Tolerances } from "../history/tolerances.ts";
import { trafficJudgement } from "./traffic-judgement.ts";
import { verifyChecks } from "../certificates/verify-certificate.ts";

/** Judges limits over traffic of any length as it goes by, in bounded memory. */
export interface LimitMonitor {
  /** Takes a request, in any order within a window; cheap until a segment is full. */
  add(op: LimitOp): void;
  /** Judges what is left and sums up. */
  finish(): LimitsJudgement;
}

export interface LimitMonitorOptions {
  readonly manifest: ManifestFacts;
  readonly strict: boolean;
  /**
   * Run clock from which on everything that these keys send is fed. Default: from the first request on; other stages of the run
   * may have used the same windows before.
   */
  readonly knownFromMs?: number;
  /** Requests of one key and endpoint below which no check speaks (40). */
  readonly fewest?: number;
}

/** Requests of one key and endpoint that are held at most. */
const segmentLimit = 60_000;
/** A segment is judged when it spans this many windows; as many as any check looks back stay for the next. */
const segmentWindows = 6;
const keptWindows = 2.5;
/** Requests under way are not known yet, so that those sent within this time of the latest are left for the next segment. */
const holdBackMs = 30_000;

/**
 * Endpoints on which a refusal that shows requests remaining is attributed to the request limit of a key without a burst
 * allowance. Elsewhere it may be of the token limit: some services refuse what needs more tokens than remain.
 */
const tokenFree: ReadonlySet<EndpointId> = new Set(["models", "usage", "images"]);

interface Group {
  readonly key: string;
  readonly endpoint: EndpointId | null;
  ops: LimitOp[];
  firstMs: number;
  latestMs: number;
  /** Before this instant the history is incomplete. */
  knownFromMs: number;
  /** Everything that was sent until then was judged, but for what is answered later still. */
  judgedUntilMs: number;
  readonly checks: Map<LimitCheckId, Check>;
  /** Spans of the requests that accusations cite: a request that turns up later within one voids it. */
  readonly spans: Map<LimitCheckId, readonly [fromMs: number, toMs: number]>;
  seen: number;
  timeline: PolicyJudgement["timeline"] | null;
}

/**
 * The family-free checks, segment by segment. A check that needs the requests before a segment stays silent instead of assuming
 * silence, so that cutting can only lose findings, never invent one.
 */
export function createLimitMonitor(options: LimitMonitorOptions): LimitMonitor {
  const { manifest, strict, fewest = 40 } = options;
  const tolerances = tolerancesFor(manifest);
  const groups = new Map<string, Group>();
  const burst = burstSettings([], manifest);
  const unset: typeof burst = new Map();

  const judge = (id: string, group: Group, untilMs: number): void => {
    const ops = group.ops.filter((op) => op.sentMs <= untilMs).sort((a, b) => a.sentMs - b.sentMs || a.seq - b.seq);
    group.judgedUntilMs = untilMs;
    const history = { offsetWithin: () => measureClockOffset(ops, tolerances) };
    const settings = group.endpoint !== null && tokenFree.has(group.endpoint) ? burst : unset;
    const view = viewGroup(id, ops, { manifest, history, tolerances, strict, burst: settings, knownFromMs: group.knownFromMs });
    for (const check of verifyChecks(checkRequests(view, declaredRequests(manifest, view.key)), view)) {
      const known = group.checks.get(check.id);
      const kept = known ? worse(known, check) : check;
      group.checks.set(check.id, kept);
      if (kept.certificate !== null && kept.certificate === check.certificate) group.spans.set(check.id, spanOf(kept));
    }
    group.timeline ??= requestTimeline(view);
  };

  const cut = (group: Group): void => {
    const bySize = group.ops.length > segmentLimit / 2 ? (group.ops.at(-Math.floor(segmentLimit / 3))?.sentMs ?? 0) : 0;
    const fromMs = Math.max(group.judgedUntilMs - keptWindows * tolerances.windowMs, bySize);
    group.ops = group.ops.filter((op) => op.sentMs >= fromMs);
    group.knownFromMs = fromMs;
    group.firstMs = fromMs;
  };

  const add = (op: LimitOp): void => {
    const id = groupId(op.key, op.endpoint);
    let group = groups.get(id);
    if (!group) {
      group = {
        key: op.key,
        endpoint: op.endpoint,
        ops: [],
        firstMs: op.sentMs,
        latestMs: op.sentMs,
        knownFromMs: options.knownFromMs ?? op.sentMs,
        judgedUntilMs: Number.NEGATIVE_INFINITY,
        checks: new Map(),
        spans: new Map(),
        seen: 0,
        timeline: null,
      };
      groups.set(id, group);
    }
    if (op.sentMs <= group.judgedUntilMs) acquit(group, op);
    group.ops.push(op);
    group.seen += 1;
    group.latestMs = Math.max(group.latestMs, op.sentMs);
    const long = group.latestMs - group.firstMs > segmentWindows * tolerances.windowMs && group.ops.length > 2000;
    if (long || group.ops.length >= segmentLimit) {
      judge(id, group, group.latestMs - holdBackMs);
      cut(group);
    }
  };

  return {
    add,
    finish: () => {
      const policies: PolicyJudgement[] = [];
      for (const [id, group] of groups) {
        if (group.seen < fewest) continue;
        judge(id, group, Number.POSITIVE_INFINITY);
        policies.push(policyOf(id, group, manifest, tolerances));
      }
      return trafficJudgement(policies);
    },
  };
}

/** From the first request of a certificate to its last answer. */
function spanOf({ certificate }: Check): readonly [fromMs: number, toMs: number] {
  const ops = certificate?.ops ?? [];
  const ends = ops.map((op) => op.headersMs ?? op.sentMs);
  return [Math.min(...ops.map((op) => op.sentMs)), Math.max(...ends)];
}

/** A request that was under way while a segment was judged may be what was missing. */
function acquit(group: Group, op: LimitOp): void {
  for (const [id, [fromMs, toMs]] of group.spans) {
    if (op.headersMs < fromMs || op.sentMs > toMs) continue;
    group.spans.delete(id);
    const check = group.checks.get(id);
    if (check)
      group.checks.set(id, inconclusive(check, check.considered, `a request that ended later (#${op.seq}) may explain it`));
  }
}

/** The first accusation stays, else one that nothing confirmed, else what considered more; counts add up over segments that overlap by what was kept. */
function worse(known: Check, next: Check): Check {
  const rank = (check: Check): number =>
    ["pass", "inconclusive"].indexOf(check.verdict) + (check.verdict === "fail" ? 9 : check.verdict === "advisory" ? 5 : 0);
  const accusing = (check: Check): boolean => check.verdict === "fail" || check.verdict === "advisory";
  const open = [known, next].find(({ withheld }) => withheld === true);
  const kept =
    accusing(known) && rank(known) >= rank(next)
      ? known
      : accusing(next)
        ? next
        : (open ?? (next.verdict === "pass" ? next : known));
  return { ...kept, considered: known.considered + next.considered };
}

function policyOf(id: string, group: Group, manifest: ManifestFacts, tolerances: Tolerances): PolicyJudgement {
  const checks = [...group.checks.values()];
  const failed = checks.some((check) => check.verdict === "fail");
  const tier = failed
    ? "violation"
    : checks.some((check) => check.id === "limits.phantom-consumption" && check.verdict === "pass") && !hasWithheld(checks)
      ? "unrefuted"
      : "inconclusive";
  return {
    id: `requests/${id}`,
    title: `Requests under load, ${id}`,
    kind: "requests",
    key: group.key,
    endpoint: group.endpoint,
    declared: {
      ...undeclared,
      limit: declaredRequests(manifest, group.key),
      windowSeconds: tolerances.windowMs / 1000,
      algorithm: manifest.limits.algorithm,
    },
    tier,
    drivenBy: "load",
    verdict: policyVerdict(tier, checks),
    summary: worstOf(checks)?.message ?? `${group.seen} requests under load: no check contradicts a correct limiter`,
    checks,
    identification: null,
    tolerances: { ...tolerances },
    timeline: group.timeline ?? emptyTimeline,
  };
}
