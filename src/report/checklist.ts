import { isBinding } from "../core/result/is-binding.ts";
import type { LoadProfileResult } from "../core/result/load-result.ts";
import { repeatedId } from "../core/result/repeated-id.ts";
import type { Result } from "../core/result/result.ts";
import type { Verdict } from "../core/result/verdict.ts";
import { formatFigure } from "./text/format-number.ts";

/** One line of a test report: a requirement, a limit check, a gate or the measurement itself. */
export interface ChecklistItem {
  /** `conformance.chat`, `limits.requests-models`, `load.steady`, `harness` */
  readonly suite: string;
  /** Unique in the run; never depends on the verdict. */
  readonly name: string;
  readonly title: string;
  readonly verdict: Verdict;
  readonly message: string | null;
  /** Finding ids, the run's order. */
  readonly findings: readonly string[];
  /** Every failure is listed in the baseline. */
  readonly baselined: boolean;
  /** As a test case: some case failed or is an error exactly where the exit code is not 0. */
  readonly outcome: "passed" | "failed" | "error" | "skipped";
}

/** `binding`: without a verdict on it the run has none either. */
type Unsettled = Omit<ChecklistItem, "outcome"> & { readonly binding: boolean };

/** Everything that was judged, flattened for machine formats that know only test cases. */
export function buildChecklist(result: Result): readonly ChecklistItem[] {
  const judged = [
    ...conformanceItems(result),
    ...limitItems(result),
    ...gateItems(result),
    ...probeItems(result),
    ...harnessItems(result),
  ];
  const items = [...judged, ...otherItems(result, judged)];
  const settled = items.map(({ binding, ...item }) => ({ ...item, outcome: outcomeOf(item, binding, result.strict) }));
  return agree(settled, result);
}

/** Findings that no item above shows: what answers under load violate, and limits that were broken there. */
function otherItems(result: Result, judged: readonly Unsettled[]): readonly Unsettled[] {
  const shown = new Set(judged.flatMap(({ findings }) => findings));
  return result.findings
    .filter(({ id }) => !shown.has(id))
    .map((finding) => ({
      suite: finding.stage,
      name: finding.id,
      title: finding.message,
      verdict: finding.verdict,
      message: finding.message,
      findings: [finding.id],
      baselined: isBaselined(result, [finding.id]),
      binding: true,
    }));
}

/**
 * The exit code decides: a job that looks at the test report alone must end as one that looks at the code. The overlay, whose rows
 * fail no run that asked for more, is listed and skipped.
 */
function agree(items: readonly ChecklistItem[], { exitCode, reason }: Result): readonly ChecklistItem[] {
  const isRed = ({ outcome }: ChecklistItem): boolean => outcome === "failed" || outcome === "error";
  if (exitCode === 0) return items.map((item) => (isRed(item) ? { ...item, outcome: "skipped" } : item));
  if (items.some(isRed)) return items;
  return items.map((item) => (item.name === runItem ? { ...item, message: reason, outcome: "failed" } : item));
}

const runItem = "run.valid";

function outcomeOf(
  { verdict, baselined }: Omit<ChecklistItem, "outcome">,
  binding: boolean,
  strict: boolean,
): ChecklistItem["outcome"] {
  if (verdict === "fail" || (verdict === "advisory" && strict)) return baselined ? "skipped" : "failed";
  if (verdict === "inconclusive") return binding ? "error" : "skipped";
  return verdict === "untested" || verdict === "excluded" || verdict === "not-applicable" ? "skipped" : "passed";
}

function conformanceItems(result: Result): readonly Unsettled[] {
  const rows = result.conformance?.requirements ?? [];
  // Rows that were not asked for are no tests of this run. Nor are rows that nothing can test, where only a part was asked for.
  const isPart = rows.some(({ untested }) => untested === "not-selected");
  const asked = rows.filter(({ untested, verdict }) => untested !== "not-selected" && !(isPart && verdict === "excluded"));
  return asked.map((row) => ({
    suite: `conformance.${row.suite}`,
    name: row.id,
    title: row.text,
    verdict: row.verdict,
    message: row.reason,
    findings: row.findings,
    baselined: isBaselined(result, row.findings),
    binding: isBinding(row.level) && row.suite !== "convention",
  }));
}

/** A check without enough evidence binds nothing by itself: whether the limits were judged at all is an item of the harness. */
function limitItems(result: Result): readonly Unsettled[] {
  const judged = (result.limits?.policies ?? []).flatMap((policy) =>
    policy.checks.map((check): Unsettled => ({
      suite: `limits.${policy.id}`,
      name: `${policy.id}.${check.id}`,
      title: check.title,
      verdict: check.verdict,
      message: check.message,
      findings: check.findings,
      baselined: isBaselined(result, check.findings),
      binding: false,
    })),
  );
  const open = (result.limits?.notJudged ?? []).map((entry): Unsettled => ({
    suite: `limits.${entry.policy}`,
    name: `${entry.policy}.judged`,
    title: `Policy ${entry.policy} is judged`,
    verdict: "untested",
    message: entry.reason,
    findings: [],
    baselined: false,
    binding: false,
  }));
  return [...judged, ...open];
}

function gateItems(result: Result): readonly Unsettled[] {
  return (result.load?.profiles ?? []).flatMap((profile) =>
    profile.gates.map((gate) => {
      const findings = result.findings
        .filter(
          ({ stage, check, message, expected }) =>
            stage === "load" &&
            check === gate.id &&
            expected === gate.expression &&
            message.startsWith(`load ${repeatedId(profile)}: `),
        )
        .map(({ id }) => id);
      return {
        suite: `load.${repeatedId(profile)}`,
        name: `${repeatedId(profile)}.${gate.id}`,
        title: gate.expression,
        verdict: gate.verdict,
        message:
          gate.observed === null
            ? gate.reason
            : `observed ${formatFigure(gate.observed, gate.unit)}${gate.reason === null ? "" : `: ${gate.reason}`}`,
        findings,
        baselined: isBaselined(result, findings),
        binding: true,
      };
    }),
  );
}

/** Its findings are items of their own where several profiles share one. */
function probeItems({ load }: Result): readonly Unsettled[] {
  return (load?.profiles ?? []).flatMap((profile) => {
    const { probe } = profile;
    return probe === undefined
      ? []
      : [
          {
            suite: `load.${repeatedId(profile)}`,
            name: `${ofRun(profile)}.probe`,
            title: `Another key (${probe.key}) is served as the specification says while the load runs`,
            // Its findings stand beside it, and a baseline may know them.
            verdict: probe.verdict === "inconclusive" ? "inconclusive" : "observed",
            message: `${probe.verdict}: ${probe.reason}`,
            findings: [],
            baselined: false,
            binding: true,
          } satisfies Unsettled,
        ];
  });
}

type Repeated = Pick<LoadProfileResult, "id" | "repeat">;

/** Names of items are unique: each run of a repeated profile has its own. */
function ofRun(profile: Repeated): string {
  const { repeat } = profile;
  return repeat === undefined ? profile.id : `${repeat.of}.${repeat.number}`;
}

function describeRun({ id, repeat }: Repeated): string {
  return repeat === undefined ? `Profile ${id}` : `Run ${repeat.number} of profile ${repeat.of}`;
}

/** Runs that are not valid must not read as green where the exit code is not looked at. */
function harnessItems(result: Result): readonly Unsettled[] {
  const item = (
    name: string,
    title: string,
    verdict: Verdict,
    message: string | null,
    findings: readonly string[] = [],
  ): Unsettled => ({
    suite: "harness",
    name,
    title,
    verdict,
    message,
    findings,
    baselined: isBaselined(result, findings),
    binding: true,
  });
  const profiles = (result.load?.profiles ?? []).map((profile) =>
    item(
      `load.${ofRun(profile)}.valid`,
      `${describeRun(profile)} is a valid measurement`,
      profile.validity.valid ? "pass" : "inconclusive",
      profile.validity.reasons.join("; ") || null,
    ),
  );
  const rest = result.findings.filter((finding) => finding.stage === "baseline" || finding.stage === "harness");
  return [
    item(
      runItem,
      "The run is valid and complete",
      result.verdict === "passed" || result.verdict === "failed" ? "pass" : "inconclusive",
      result.reason,
    ),
    item(
      "measurement.health",
      "The measuring machine was fit",
      result.health.valid ? "pass" : "inconclusive",
      result.health.reasons.join("; ") || null,
    ),
    ...profiles,
    ...rest.map((finding) => item(finding.id, finding.check, finding.verdict, finding.message, [finding.id])),
  ];
}

function isBaselined(result: Result, ids: readonly string[]): boolean {
  if (ids.length === 0) return false;
  const failures = result.findings.filter((finding) => ids.includes(finding.id) && (finding.verdict === "fail" || result.strict));
  return failures.length > 0 && failures.every((finding) => finding.baselined);
}
