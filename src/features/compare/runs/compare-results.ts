import type {
  ComparabilityCheck,
  ComparedRun,
  CompareResult,
  ComparisonMethod,
  VerdictChange,
  VerdictDelta,
} from "../../../core/result/compare-result.ts";
import { createRandom } from "../../../core/random.ts";
import type { Result } from "../../../core/result/result.ts";
import { exitCodes, type Verdict } from "../../../core/result/verdict.ts";
import { findLostCoverage, type Verdicts } from "../../../run/scope/find-lost-coverage.ts";
import { comparePairs, type ProfilePair } from "./compare-profiles.ts";
import { findInstrumentError } from "./find-instrument-error.ts";
import { gateName } from "./gate-name.ts";
import { isLeftOpen } from "./is-left-open.ts";
import { workloadDifference } from "./workload-difference.ts";
import { leaveOutLateRounds, pairProfiles, type Pairs, type RemainingPairs } from "./pair-profiles.ts";

export interface CompareOptions {
  /** Default `unpaired`. `interleaved`: both results hold the rounds of `takeTurns`, profile by profile in order. */
  readonly design?: ComparisonMethod["design"];
  readonly seed?: number;
  readonly resamples?: number;
  readonly confidence?: number;
  readonly minimumEffect?: number;
}

/**
 * Compares two runs. Whether they are comparable comes first: runs of other specifications, workloads or validity are refused,
 * not explained away. Worse on any metric, a requirement, limit check or gate that fails anew: exit 1. Not comparable: exit 3.
 */
export function compareResults(base: Result, next: Result, options: CompareOptions = {}): CompareResult {
  const method: ComparisonMethod = {
    design: options.design ?? "unpaired",
    name: "block bootstrap over equal blocks of time, percentile intervals, Bonferroni over all statistics",
    resamples: options.resamples ?? 4000,
    seed: options.seed ?? 1,
    confidence: options.confidence ?? 0.95,
    minimumEffect: options.minimumEffect ?? 0.05,
  };
  const pairs = pairProfiles(base, next);
  const left = method.design === "interleaved" ? leaveOutLateRounds(pairs) : { pairs, reasons: [] };
  const checks = checkComparability(base, next, left);
  const usable = left.pairs.both.filter((pair) => workloadDifference(pair) === null && invalidSide(pair) === null);
  const compared = comparePairs(usable, method, createRandom(method.seed).fork("compare"), findInstrumentError(base, next));
  const conformance = deltaOf(requirementVerdicts(base), requirementVerdicts(next));
  const limits = deltaOf(limitVerdicts(base), limitVerdicts(next));
  const gatesOf = { base: gateVerdicts(base, left.pairs, "base"), next: gateVerdicts(next, left.pairs, "next") };
  const gates = deltaOf(gatesOf.base, gatesOf.next);
  const leftOpen = new Set(
    usable.flatMap(({ id, next: [profile] }) =>
      (profile?.gates ?? []).filter((gate) => isLeftOpen(id, gate, compared.metrics)).map((gate) => gateName(id, profile, gate)),
    ),
  );
  const lostCoverage = [
    ...findLostCoverage(requirementVerdicts(base), requirementVerdicts(next)),
    ...findLostCoverage(policyVerdicts(base), policyVerdicts(next)),
    // Rounds in turns run the same profile on both sides; where they do not agree, that is a result.
    ...(method.design === "interleaved" ? [] : findLostCoverage(gatesOf.base, gatesOf.next)).filter(
      ({ id }) => !leftOpen.has(id),
    ),
  ];
  const comparable = checks.every((check) => !check.blocking || check.outcome !== "differs");
  const worse = compared.metrics.filter((metric) => metric.verdict === "worse");
  const better = compared.metrics.filter((metric) => metric.verdict === "better");
  const broken = [...conformance.broken, ...limits.broken, ...gates.broken];
  const fixed = [...conformance.fixed, ...limits.fixed, ...gates.fixed];
  const nothing =
    compared.metrics.length === 0 &&
    conformance.unchanged + limits.unchanged + gates.unchanged + broken.length + fixed.length === 0;
  // Load that was put on both, and no figure of it that could have shown a change: silence must not read as "no change".
  const undecided =
    pairs.both.length > 0 && broken.length === 0 && compared.metrics.every(({ verdict }) => verdict === "too few");
  const unknown = compared.metrics.filter((metric) => metric.verdict === "instrument unknown");
  const verdict =
    !comparable || nothing || undecided
      ? "not comparable"
      : worse.length + broken.length > 0
        ? "worse"
        : unknown.length > 0
          ? "not comparable"
          : lostCoverage.length > 0
            ? "judges less"
            : better.length + fixed.length > 0
              ? "better"
              : "no detectable change";
  const blocking = checks.find((check) => check.blocking && check.outcome === "differs");
  return {
    schemaVersion: "1.0",
    base: describeRun(base),
    next: describeRun(next),
    comparability: { comparable, checks },
    method,
    metrics: comparable ? compared.metrics : [],
    shifts: comparable ? compared.shifts : [],
    notCompared: [
      ...compared.notCompared,
      ...pairs.single.map((profile) => ({ profile, metric: "all", reason: "only one run has this profile" })),
      ...left.pairs.both
        .filter((pair) => !usable.includes(pair))
        .map((pair) => ({
          profile: pair.id,
          metric: "all",
          reason: workloadDifference(pair) ?? invalidSide(pair) ?? "",
        })),
    ],
    conformance,
    limits,
    gates,
    lostCoverage,
    verdict,
    reason:
      blocking?.message ??
      (nothing
        ? "the two runs have nothing in common that could be compared"
        : undecided
          ? `too few samples to compare the load: ${compared.metrics[0]?.reason ?? compared.notCompared[0]?.reason ?? "nothing was measured on both sides"}`
          : describeVerdict({ worse, better, unknown, compared: compared.metrics, broken, fixed, lostCoverage })),
    exitCode: exitCodeOf[verdict],
  };
}

const exitCodeOf: Readonly<Record<CompareResult["verdict"], CompareResult["exitCode"]>> = {
  worse: exitCodes.findings,
  "not comparable": exitCodes.invalid,
  "judges less": exitCodes.invalid,
  better: exitCodes.met,
  "no detectable change": exitCodes.met,
};

interface Changes {
  readonly worse: CompareResult["metrics"];
  readonly better: CompareResult["metrics"];
  readonly unknown: CompareResult["metrics"];
  /** Figures that both runs measured. */
  readonly compared: CompareResult["metrics"];
  readonly broken: readonly VerdictChange[];
  readonly fixed: readonly VerdictChange[];
  readonly lostCoverage: readonly VerdictChange[];
}

function describeVerdict({ worse, better, unknown, compared, broken, fixed, lostCoverage }: Changes): string {
  const parts = [
    worse.length > 0 ? `${worse.length} figure${worse.length > 1 ? "s" : ""} worse` : null,
    broken.length > 0 ? `${broken.length} newly failing (${listIds(broken)})` : null,
    unknown.length > 0 ? `${unknown.length} changed, and ${unknown[0]?.reason ?? ""}` : null,
    lostCoverage.length > 0
      ? `${lostCoverage.length} that the base run judged ${lostCoverage.length > 1 ? "were" : "was"} not judged (${listIds(lostCoverage)})`
      : null,
    better.length > 0 ? `${better.length} figure${better.length > 1 ? "s" : ""} better` : null,
    fixed.length > 0 ? `${fixed.length} no longer failing` : null,
  ].filter((part) => part !== null);
  if (parts.length > 0) return parts.join(", ");
  return compared.length > 0
    ? "no figure changed by more than these runs can resolve"
    : "no verdict changed; no load was compared";
}

function listIds(changes: readonly VerdictChange[]): string {
  const ids = changes.slice(0, 3).map(({ id }) => id);
  return `${ids.join(", ")}${changes.length > 3 ? " ..." : ""}`;
}

function invalidSide({ base, next }: ProfilePair): string | null {
  const invalid = [...base, ...next].find((each) => !each.validity.valid);
  return invalid === undefined ? null : `a measurement is not valid: ${invalid.validity.reasons.join("; ")}`;
}

function checkComparability(base: Result, next: Result, { pairs, reasons }: RemainingPairs): readonly ComparabilityCheck[] {
  const same = (id: string, what: string, left: unknown, right: unknown, blocking: boolean): ComparabilityCheck => ({
    id,
    outcome: left === right ? "same" : "differs",
    blocking,
    message: left === right ? `same ${what}` : `${what} differs: ${String(left)} and ${String(right)}`,
  });
  const different = pairs.both.filter((pair) => workloadDifference(pair) !== null);
  const invalid = pairs.both.filter((pair) => invalidSide(pair) !== null);
  const listed = (found: readonly ProfilePair[], why: (pair: ProfilePair) => string | null): string =>
    found.map((pair) => `${pair.id}: ${why(pair) ?? ""}`).join("; ");
  return [
    same("same-specification", "specification", base.spec.sha256, next.spec.sha256, true),
    same("same-strictness", "strictness", base.strict, next.strict, true),
    {
      id: "same-workload",
      outcome: different.length === 0 ? "same" : "differs",
      // Blocking only when nothing else is left to compare.
      blocking: different.length > 0 && different.length === pairs.both.length,
      message: different.length === 0 ? "same workload in every profile" : listed(different, workloadDifference),
    },
    {
      id: "both-valid",
      outcome: invalid.length + reasons.length === 0 ? "same" : "differs",
      blocking: invalid.length > 0 && invalid.length === pairs.both.length,
      message:
        invalid.length + reasons.length === 0
          ? "every measurement is valid"
          : [...reasons, ...(invalid.length === 0 ? [] : [listed(invalid, invalidSide)])].join("; "),
    },
    {
      id: "not-interrupted",
      outcome: base.interrupted || next.interrupted ? "differs" : "same",
      blocking: base.interrupted || next.interrupted,
      message: base.interrupted || next.interrupted ? "a run was interrupted" : "both runs ended by themselves",
    },
    same("same-plan", "plan of the account", base.target.plan, next.target.plan, false),
    same("same-tool", "version of assay", base.tool.version, next.tool.version, false),
    same(
      "same-platform",
      "platform",
      `${base.tool.platform} ${base.tool.node}`,
      `${next.tool.platform} ${next.tool.node}`,
      false,
    ),
    same("same-seed", "seed", base.seed, next.seed, false),
    same("same-target", "base URL", base.target.baseUrl, next.target.baseUrl, false),
  ];
}

function describeRun(result: Result): ComparedRun {
  return {
    runId: result.runId,
    target: result.target.name,
    baseUrl: result.target.baseUrl,
    startedAt: result.startedAt,
    toolVersion: result.tool.version,
    seed: result.seed,
  };
}

function requirementVerdicts(result: Result): Verdicts {
  const rows = result.conformance?.requirements ?? [];
  return new Map(rows.map(({ id, verdict, reason, untested }) => [id, { verdict, message: reason, untested }]));
}

function policyVerdicts(result: Result): Verdicts {
  return new Map(
    (result.limits?.policies ?? []).map((policy) => [
      `limits ${policy.id}`,
      { verdict: policy.verdict, message: policy.summary },
    ]),
  );
}

function limitVerdicts(result: Result): Verdicts {
  return new Map(
    (result.limits?.policies ?? []).flatMap((policy) =>
      policy.checks.map((check) => [`${policy.id}/${check.id}`, { verdict: check.verdict, message: check.message }] as const),
    ),
  );
}

/** Of several rounds, what most of them say: one round beyond its bound is no change of a target. */
function gateVerdicts(result: Result, { both, single }: Pairs, side: "base" | "next"): Verdicts {
  const alone = (result.load?.profiles ?? [])
    .filter(({ id }) => single.includes(id))
    .map((profile) => [profile.id, [profile]] as const);
  const verdicts = new Map<string, { readonly verdict: Verdict; readonly message: string | null }>();
  for (const [id, rounds] of [...both.map((pair) => [pair.id, pair[side]] as const), ...alone]) {
    const [first] = rounds;
    for (const [index, gate] of (first?.gates ?? []).entries()) {
      const said = rounds.map(({ gates }) => gates[index]).filter((each) => each !== undefined);
      const most = said.find(({ verdict }) => 2 * said.filter((each) => each.verdict === verdict).length > rounds.length);
      const inconclusive = { verdict: "inconclusive", reason: "the rounds do not agree" } as const;
      const { verdict, reason } = most ?? inconclusive;
      verdicts.set(gateName(id, first, gate), { verdict, message: reason });
    }
  }
  return verdicts;
}

function deltaOf(base: Verdicts, next: Verdicts): VerdictDelta {
  const fixed: VerdictChange[] = [];
  const broken: VerdictChange[] = [];
  const changed: VerdictChange[] = [];
  let unchanged = 0;
  // A whole part that one run did not do is no change of its verdicts.
  if (base.size === 0 || next.size === 0) return { fixed, broken, changed, unchanged };
  for (const id of new Set([...base.keys(), ...next.keys()])) {
    const [before, after] = [base.get(id)?.verdict ?? null, next.get(id)?.verdict ?? null];
    const change = { id, base: before, next: after, message: next.get(id)?.message ?? null };
    if (before === after) unchanged += 1;
    else if (after === "fail") broken.push(change);
    else if (before === "fail" && after === "pass") fixed.push(change);
    else changed.push(change);
  }
  return { fixed, broken, changed, unchanged };
}
