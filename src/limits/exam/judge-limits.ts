import type { LimitCheckId } from "../../core/checks/limit-check.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { LimitCheckResult, LimitPolicyResult, LimitsResult } from "../../core/result/limits-result.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import type { Verdict } from "../../core/result/verdict.ts";
import { burstSettings, readSettingChanges, type SettingChange } from "../burst/burst-settings.ts";
import { viewBurst } from "../burst/burst-view.ts";
import { judgeBurst, type BurstJudgement } from "../burst/judge-burst.ts";
import type { Check, GroupView } from "./check.ts";
import { viewGroup, type ViewOptions } from "../history/group-view.ts";
import { readHistory, type History } from "../history/history.ts";
import { checkOccurrences } from "./check-occurrences.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import type { PolicyJudgement } from "./policy.ts";
import { observedRows, planRows, refusalRows } from "../requests/request-rows.ts";
import { judgeRequestPolicy } from "../requests/request-policy.ts";
import { countSpentCents } from "../spend/spent-cents.ts";
import { judgeSpend } from "../spend/judge-spend.ts";
import { viewSpend } from "../spend/spend-view.ts";
import { judgeTokens } from "../tokens/judge-tokens.ts";
import { defaultTolerances, type Tolerances } from "../history/tolerances.ts";

/** Checks that decide no row of the catalogue by themselves: rows of their own do, or the specification says nothing of it. */
const withoutRows: ReadonlySet<LimitCheckId> = new Set([
  "limits.algorithm",
  "limits.limit-differs-from-plan",
  "limits.clocks-differ",
]);

export interface JudgeLimitsInput {
  /** All exchanges of the run: requests of other stages count against the same limits. */
  readonly exchanges: readonly Exchange[];
  readonly manifest: ManifestFacts;
  /** Every lenient reading becomes a failure; UNEXPLAINED fails. */
  readonly strict: boolean;
  readonly notJudged?: LimitsResult["notJudged"];
}

export interface LimitsJudgement {
  readonly result: LimitsResult;
  readonly findings: readonly Finding[];
  /** Verdicts on requirements of the suites limits and spend. */
  readonly occurrences: readonly Occurrence[];
}

/** Pure: the same exchanges give the same judgement, byte for byte. */
export function judgeLimits(input: JudgeLimitsInput): LimitsJudgement {
  const { exchanges, manifest, strict } = input;
  const tolerances = tolerancesFor(manifest);
  const history = readHistory(exchanges, tolerances);
  const changes = readSettingChanges(exchanges, manifest);
  const burst = burstSettings(changes, manifest);
  const options: ViewOptions = { manifest, history, tolerances, strict, burst };
  const views = [...history.groups].map(([id, members]) => viewGroup(id, members, options));
  const judged = views.filter(isWorthJudging);
  const requests = judged.map((view) => judgeRequestPolicy(view, twinsOf(view, views), manifest));
  const bursts = judgeBursts(input, history, changes, tolerances);
  const { offset } = history;
  const offsetMs = offset === null ? null : (offset.lowMs + offset.highMs) / 2;
  const spendView = viewSpend(history, exchanges, changes, manifest.propagationSeconds * 1000);
  const spend = spendView === null ? null : judgeSpend(spendView, tolerances, offsetMs);
  const tokenKeys = new Set(history.ops.filter((op) => op.policy === "tokens").map((op) => op.key));
  const tokens = [...tokenKeys].map((key) => judgeTokens(key, history.ops, tolerances, offset));
  const policies = [
    ...requests,
    ...tokens.map(({ policy }) => policy),
    ...bursts.map(({ policy }) => policy),
    ...(spend?.policies ?? []),
  ];
  const occurrences = [
    ...requests.flatMap((policy) => checkOccurrences(policy.checks.filter((check) => !withoutRows.has(check.id)))),
    ...requests.flatMap((policy, index) => observedRows(judged[index]!, policy.tier, policy.identification)),
    ...judged.flatMap(refusalRows),
    ...planRows(views, manifest),
    ...bursts.flatMap((judged) => judged.occurrences),
    ...tokens.flatMap((judged) => judged.occurrences),
    ...(spend?.occurrences ?? []),
  ];
  const numbered = numberFindings(policies);
  const cents = countSpentCents(history.ops, spendView, manifest.prices);
  const spent = { ...measureSpending(exchanges), cents: Math.round(cents * 100) / 100 };
  return {
    result: {
      verdict: overallVerdict(policies.map((policy) => policy.verdict)),
      policies: numbered.policies,
      spent,
      notJudged: input.notJudged ?? [],
    },
    findings: numbered.findings,
    occurrences: withoutNeedlessDoubt(occurrences),
  };
}

function judgeBursts(
  { exchanges, manifest }: JudgeLimitsInput,
  history: History,
  changes: readonly SettingChange[],
  tolerances: Tolerances,
): readonly BurstJudgement[] {
  const keys = new Set(history.ops.filter((op) => op.policy === "burst" && op.phase === "volley").map((op) => op.key));
  if (keys.size === 0) return [];
  const bySeq = new Map(exchanges.map((exchange) => [exchange.seq, exchange]));
  const { offset } = history;
  const offsetMs = offset === null ? null : (offset.lowMs + offset.highMs) / 2;
  return [...keys].flatMap((key) => {
    const view = viewBurst(key, history, changes, tolerances, manifest.exclusive);
    return view === null ? [] : [judgeBurst(view, manifest, bySeq, offsetMs)];
  });
}

export function tolerancesFor(manifest: ManifestFacts): Tolerances {
  const seconds = manifest.features["windowSeconds"];
  const windowMs = typeof seconds === "number" && seconds > 0 ? seconds * 1000 : defaultTolerances.windowMs;
  // A virtual clock is that of this machine: it lags between advances, but does not drift over the months that it skips.
  const virtual = manifest.control !== null;
  return virtual ? { ...defaultTolerances, windowMs, virtualLagMs: 1200, driftRatio: 0 } : { ...defaultTolerances, windowMs };
}

/** Where one history answers a requirement, another that cannot is no reason for doubt. */
function withoutNeedlessDoubt(occurrences: readonly Occurrence[]): readonly Occurrence[] {
  const answered = new Set(occurrences.filter(({ outcome }) => outcome !== "inconclusive").map(({ requirement }) => requirement));
  return occurrences.filter(({ outcome, requirement }) => outcome !== "inconclusive" || !answered.has(requirement));
}

/** A group that a request schedule drained, or one that saw enough traffic to say something about. */
function isWorthJudging(view: GroupView): boolean {
  const foreign = view.ops.some((op) => op.policy !== "" && op.policy !== "requests");
  return view.ops.some((op) => op.policy === "requests" && op.phase === "B") || (!foreign && view.ops.length >= 40);
}

/** The pairs that a schedule visits to see whether they notice the drain of another. */
function twinsOf(view: GroupView, views: readonly GroupView[]): readonly GroupView[] {
  const drainedHere = view.ops.some((op) => op.policy === "requests" && op.phase === "D");
  if (!drainedHere) return [];
  const visited = (other: GroupView): boolean => other.ops.some((op) => op.policy === "requests" && op.phase === "F");
  return views.filter(
    (other) => other !== view && visited(other) && (other.key === view.key) !== (other.endpoint === view.endpoint),
  );
}

export function overallVerdict(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.length === 0) return "untested";
  for (const verdict of ["fail", "advisory"] as const) {
    if (verdicts.includes(verdict)) return verdict;
  }
  return verdicts.includes("pass") ? "pass" : "inconclusive";
}

export function numberFindings(policies: readonly PolicyJudgement[]): {
  readonly policies: readonly LimitPolicyResult[];
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const results = policies.map((policy): LimitPolicyResult => {
    const citing = new Map<number, string[]>();
    const checks = policy.checks.map((check): LimitCheckResult => {
      const finding = findingOf(check, policy, `L${String(findings.length + 1).padStart(3, "0")}`);
      if (finding) {
        findings.push(finding);
        for (const seq of check.exchanges) citing.set(seq, [...(citing.get(seq) ?? []), finding.id]);
      }
      return checkResult(check, finding ? [finding.id] : []);
    });
    const ops = policy.timeline.ops.map((op) =>
      citing.has(op.seq) ? Object.assign({}, op, { findings: citing.get(op.seq)! }) : op,
    );
    return { ...policy, checks, timeline: { ...policy.timeline, ops } };
  });
  return { policies: results, findings };
}

function checkResult(check: Check, findings: readonly string[]): LimitCheckResult {
  const { id, title, requirements, verdict, tier, message, considered, needed, certificate } = check;
  return { id, title, requirements, verdict, tier, message, considered, needed, certificate, findings };
}

function findingOf(check: Check, policy: PolicyJudgement, id: string): Finding | null {
  if (check.verdict !== "fail" && check.verdict !== "advisory") return null;
  return {
    id,
    stage: "limits",
    requirement: check.requirements[0] ?? null,
    check: check.id,
    level: check.verdict === "fail" ? "must" : "should",
    verdict: check.verdict,
    message: `${policy.key}, ${policy.endpoint ?? "all endpoints"}: ${check.message}`,
    spec: check.certificate?.spec ?? null,
    sent: null,
    expected: check.certificate?.lawfulAlternative ?? check.expected,
    observed: check.observed,
    exchanges: check.exchanges.slice(0, 40),
    more: Math.max(0, check.exchanges.length - 40),
    curl: null,
    baselined: false,
  };
}

function measureSpending(exchanges: readonly Exchange[]): LimitsResult["spent"] {
  const own = exchanges.filter((exchange) => exchange.stage === "limits");
  if (own.length === 0) return { requests: 0, minutes: 0, cents: 0 };
  const fromMs = own.reduce((least, exchange) => Math.min(least, exchange.timing.sentMs), Number.POSITIVE_INFINITY);
  const toMs = own.reduce((most, exchange) => Math.max(most, exchange.timing.endMs), 0);
  return { requests: own.length, minutes: Math.round((toMs - fromMs) / 600) / 100, cents: 0 };
}
