import { findLimitCheck } from "../../core/result/checks/limit-checks.ts";
import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import { limitPolicies } from "../../core/result/checks/limit-policies.ts";
import { groupBy } from "../../core/group-by.ts";
import { endpoints } from "../../core/exchange/endpoint.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { findAbsences } from "../../core/ends/find-absences.ts";
import { judgeEnds, lastAnsweredMs } from "../../core/ends/judge-ends.ts";
import type { Finding } from "../../core/result/finding.ts";
import { findingId } from "../../core/result/finding-id.ts";
import type { LimitCheckResult, LimitPolicyResult, LimitsResult } from "../../core/result/limits-result.ts";
import type { ManifestFacts, Prices } from "../../core/manifest.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import type { Verdict } from "../../core/result/verdict.ts";
import { readSettingChanges } from "../history/burst-settings.ts";
import { findCuts } from "../history/find-cuts.ts";
import { readHistory } from "../history/history.ts";
import { tolerancesFor } from "../history/tolerances.ts";
import { viewSpend, type SpendView } from "../history/spend-view.ts";
import type { Check } from "../verdict/check.ts";
import { measureLatencies } from "../verdict/measure-latency.ts";
import type { ExamRecord } from "../probe/limit-probe.ts";
import { accountAnswers } from "./account-answers.ts";
import { limitProbes } from "./limit-probes.ts";
import { narrowPolicies } from "./narrow-policies.ts";
import { type NotJudged, reasonOf } from "../probe/not-judged.ts";
import type { PolicyJudgement } from "../probe/policy.ts";
import type { LimitOp } from "../history/op.ts";

export interface JudgeLimitsInput {
  /** All exchanges of the run: requests of other stages count against the same limits. */
  readonly exchanges: readonly Exchange[];
  readonly manifest: ManifestFacts;
  /** Every lenient reading becomes a failure; UNEXPLAINED fails. */
  readonly strict: boolean;
  readonly notJudged?: readonly NotJudged[];
  /** The checks that the run asked about. Absent or null: all. */
  readonly asked?: ReadonlySet<LimitCheckId> | null;
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
  const bySeq = new Map(exchanges.map((exchange) => [exchange.seq, exchange]));
  const { offset } = history;
  const offsetMs = offset === null ? null : (offset.lowMs + offset.highMs) / 2;
  const spend = viewSpend(history, bySeq, changes, manifest.propagationSeconds * 1000);
  const cutsMs = findCuts(exchanges);
  const record: ExamRecord = { exchanges, bySeq, history, cutsMs, changes, spend, manifest, tolerances, offsetMs, strict };
  const judged = Object.values(limitProbes).map((probe) => probe.judge(record));
  const policies = withholdPasses(
    narrowPolicies(
      judged.flatMap((each) => each.policies),
      input.asked ?? null,
    ),
    exchanges,
  );
  const written = writeLimitFindings(policies);
  const cents = countSpentCents(history.ops, spend, manifest.prices);
  const spent = { ...measureSpending(exchanges), cents: Math.round(cents * 100) / 100 };
  return {
    result: {
      verdict: overallVerdict(policies.map((policy) => policy.verdict)),
      policies: written.policies,
      spent,
      account: accountAnswers(history),
      notJudged: (input.notJudged ?? []).map((one) => ({
        policy: one.policy,
        ...(one.untested === undefined ? {} : { untested: one.untested }),
        reason: reasonOf(one),
      })),
    },
    findings: written.findings,
    occurrences: withFindings(
      withoutNeedlessDoubt(
        judged.flatMap((each) => each.occurrences),
        policies,
      ),
      written.findings,
    ),
  };
}

/** One defect of a limiter is reported once: by the finding of its check, which carries the certificate. */
function withFindings(occurrences: readonly Occurrence[], findings: readonly Finding[]): readonly Occurrence[] {
  const rows = findings.flatMap(({ id, requirement, also }) => [requirement, ...also].map((row) => ({ id, row })));
  const reported = groupBy(rows, ({ row }) => row);
  return occurrences.map((occurrence) => {
    const own = reported.get(occurrence.requirement);
    return own === undefined ? occurrence : { ...occurrence, findings: own.map(({ id }) => id) };
  });
}

/** Checks read what is served and what is refused: a policy whose requests came to other ends has not been judged by them. */
function withholdPasses(policies: readonly PolicyJudgement[], exchanges: readonly Exchange[]): readonly PolicyJudgement[] {
  const facts = exchanges.map(factsOf);
  const driven = facts.filter(({ stage, intent }) => stage === "limits" && intent.kind === "limit");
  // A request without an answer leaves the policy unjudged, whoever is to blame for it.
  const ends = judgeEnds(driven, { lastAnswerMs: lastAnsweredMs(facts), explain: () => null, absent: findAbsences(facts) });
  const wrong = ends.filter(({ verdict }) => verdict === "wrong" || verdict === "once" || verdict === "unasked");
  return policies.map((policy) => {
    const own = wrong.find(({ odd }) =>
      [...odd].some(
        ({ intent, keyName }) =>
          intent.kind === "limit" && intent.policy === limitPolicies[policy.kind].purpose && keyName === policy.key,
      ),
    );
    if (own === undefined || policy.verdict !== "pass") return policy;
    const summary = `not judged: ${own.odd.size} of ${own.probes.flat().length} requests (${own.where}, sent to ${own.purpose}) were neither served nor refused by it`;
    return { ...policy, tier: "inconclusive", verdict: "inconclusive", summary };
  });
}

/**
 * If one history answers a requirement, another history that cannot answer it gives no reason for doubt, unless it holds an accusation
 * that was withheld. Nor does one that showed nothing of a
 * check that another history shows not to apply to this target; one that showed something of it does.
 */
function withoutNeedlessDoubt(occurrences: readonly Occurrence[], policies: readonly PolicyJudgement[]): readonly Occurrence[] {
  const answered = new Set(occurrences.filter(({ outcome }) => outcome !== "inconclusive").map(({ requirement }) => requirement));
  const checks = policies.flatMap((policy) => policy.checks);
  const open = new Set(
    checks.filter(({ verdict, considered }) => verdict === "inconclusive" && considered > 0).map(({ id }) => id),
  );
  const withheld = new Set<string>(checks.filter((check) => check.withheld === true).map(({ id }) => id));
  const inapplicable = new Set<string>(
    checks.filter(({ verdict, id }) => verdict === "not-applicable" && !open.has(id)).map(({ id }) => id),
  );
  return occurrences.filter(
    ({ outcome, requirement, kind }) =>
      outcome !== "inconclusive" || withheld.has(kind ?? "") || (!answered.has(requirement) && !inapplicable.has(kind ?? "")),
  );
}

export function overallVerdict(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.length === 0) return "untested";
  for (const verdict of ["fail", "advisory"] as const) {
    if (verdicts.includes(verdict)) return verdict;
  }
  return verdicts.includes("pass") ? "pass" : "inconclusive";
}

export function writeLimitFindings(policies: readonly PolicyJudgement[]): {
  readonly policies: readonly LimitPolicyResult[];
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const results = policies.map((policy): LimitPolicyResult => {
    const citing = new Map<number, string[]>();
    const checks = policy.checks.map((check): LimitCheckResult => {
      const finding = findingOf(check, policy);
      if (finding) {
        findings.push(finding);
        for (const seq of check.exchanges) citing.set(seq, [...(citing.get(seq) ?? []), finding.id]);
      }
      return checkResult(check, finding ? [finding.id] : []);
    });
    const ops = policy.timeline.ops.map((op) =>
      citing.has(op.seq) ? Object.assign({}, op, { findings: citing.get(op.seq)! }) : op,
    );
    return { ...policy, checks, latencies: measureLatencies(ops), timeline: { ...policy.timeline, ops } };
  });
  return { policies: results, findings };
}

function checkResult(check: Check, findings: readonly string[]): LimitCheckResult {
  const { id, title, requirements, verdict, tier, message, considered, needed, certificate, overshoot } = check;
  const head = { id, title, requirements, verdict, tier, message, considered, needed, certificate, findings };
  return overshoot === undefined ? head : { ...head, overshoot };
}

function findingOf(check: Check, policy: PolicyJudgement): Finding | null {
  if (check.verdict !== "fail" && check.verdict !== "advisory") return null;
  const [requirement = null, ...also] = check.requirements;
  return {
    id: findingId(check.id, policy.id),
    stage: "limits",
    requirement,
    also,
    check: check.id,
    level: findLimitCheck(check.id)?.level ?? null,
    verdict: check.verdict,
    message: `key ${policy.key} on ${policy.endpoint === null ? "all endpoints" : endpoints[policy.endpoint].path}: ${check.message}`,
    spec: check.certificate?.spec ?? null,
    sent: null,
    expected: check.certificate?.lawfulAlternative ?? check.expected,
    observed: check.observed,
    forms: [],
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

/**
 * The cost of the requests of the exams, cents: purchases by the price that the usage report showed, tokens of all others at
 * the prices of the manifest. Load and conformance are counted by their own budgets.
 */
export function countSpentCents(
  ops: readonly LimitOp[],
  spend: Pick<SpendView, "purchases" | "priceCents"> | null,
  prices: Pick<Prices, "perMillionPromptTokens" | "perMillionCompletionTokens">,
): number {
  const purchases = (spend?.purchases ?? []).filter((op) => op.outcome === "admitted");
  const bought = new Set(purchases.map((op) => op.seq));
  let tokensUsd = 0;
  for (const op of ops) {
    if (op.policy === "" || op.outcome !== "admitted" || bought.has(op.seq)) continue;
    const prompt = (op.promptTokens ?? 0) * prices.perMillionPromptTokens;
    tokensUsd += (prompt + (op.completionTokens ?? 0) * prices.perMillionCompletionTokens) / 1e6;
  }
  return purchases.length * (spend?.priceCents ?? 0) + tokensUsd * 100;
}
