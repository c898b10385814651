import { allCases } from "../../../suites/all-cases.ts";
import { pickRunSettings } from "../../core/result/run-header.ts";
import { limitChecks } from "../../core/result/checks/limit-checks.ts";
import { suiteIds } from "../../core/result/requirement.ts";
import { describeBlockers } from "../../load/profile/blocker.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { createSwitchboard } from "../../reference/switches/switchboard.ts";
import { terminalText } from "../../report/escape/terminal.ts";
import { createLiveView, silentView } from "../../report/terminal/live-view.ts";
import { renderSummary } from "../../report/terminal/summary.ts";
import { executeRun } from "../../run/execute-run.ts";
import { judgeRun } from "../../run/record/judge-run.ts";
import { noLoad } from "../../run/verdict/find-load-findings.ts";
import { createLoadPlans, type LoadPlans } from "../../run/stages/load-plans.ts";
import { findLoadRefusals, refusesEverything } from "../../run/stages/find-load-refusals.ts";
import { expectScopeOf } from "../../run/scope/expected-scope.ts";
import { planRun, type RunPlan } from "../../run/stages/plan-run.ts";
import type { RunOptions, Stage } from "../../run/run-options.ts";
import { join } from "node:path";
import type { Manifest } from "../../core/manifest.ts";
import type { Feature } from "../../command/feature.ts";
import { chooseProfiles, printedProfile } from "../../command/choose-profiles.ts";
import { hideFlagValues } from "../../command/hide-flag-values.ts";
import { listenForInterrupt } from "../../command/interrupt.ts";
import { findTarget } from "../../command/load-target.ts";
import { reportersOf, type RunFlags } from "../../command/run-flags.ts";
import { reportTrouble } from "../../command/report-trouble.ts";
import { useSavedResults } from "../../command/read-saved-result.ts";
import { UsageError } from "../../command/usage-error.ts";
import { features } from "../features.ts";
import { openRun } from "./report.ts";
import { suggestWord } from "../../core/suggest-word.ts";
import { matchesId } from "../../core/id-pattern.ts";
import { output } from "../../report/terminal/output.ts";

/** `run`, `check`, `limits`, `load`: progress on standard error, the summary (or one machine document) on standard output. */
export async function runCommand(stages: readonly Stage[], flags: RunFlags, command: readonly string[]): Promise<number> {
  if (flags.replay !== undefined) return replayLimits(flags.replay, flags);
  if (flags.printProfile === true) {
    output.print(printedProfile(flags));
    return 0;
  }
  const reporters = flags.plan ? flags.reporter : reportersOf(flags);
  // A misspelt name is the nearer mistake.
  const work = selectWork(flags);
  const target = findTarget(flags);
  checkTarget(stages, flags, target !== null);
  if (target !== null && (flags.variant.length > 0 || flags.mutant.length > 0)) {
    throw new UsageError("--variant and --mutant switch the embedded reference service", "leave out --base-url and the manifest");
  }
  checkBounds(flags, target !== null);
  try {
    createSwitchboard([...flags.variant, ...flags.mutant]);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
  const env = flags.color ? process.env : { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined };
  const view = flags.quiet ? silentView : createLiveView(output.screen("stderr", env), { verbose: flags.verbose });
  try {
    const interrupt = listenForInterrupt((text) => view.onProgress({ kind: "note", text }));
    for (const text of target?.notes ?? []) view.onProgress({ kind: "note", text });
    const prepared: Partial<RunOptions> = {};
    for (const { prepareRun } of Object.values<Feature>(features)) {
      Object.assign(prepared, await prepareRun?.(flags, target?.manifest ?? null));
    }
    const options: RunOptions = {
      stages,
      manifest: target === null ? null : withAllowedLoad(withBudget(target.manifest, flags.maxRequests), flags.allowLoad),
      variants: flags.variant,
      mutants: flags.mutant,
      ...work,
      profiles: stages.includes("load") ? chooseProfiles(flags) : [],
      exam: flags.exam ?? null,
      thorough: flags.thorough ?? false,
      ...(flags.endpoint === undefined ? {} : { endpoint: flags.endpoint }),
      outDir: flags.out,
      ...pickRunSettings({ ...flags, command: hideFlagValues(command) }),
      reporters,
      signal: interrupt.signal,
      interruptedBy: interrupt.received,
      onProgress: view.onProgress,
      ...prepared,
    };
    if (flags.plan) {
      const planned = await planUnlessEnded(options, flags.ask);
      if (planned === null) return interrupt.received() === "SIGTERM" ? exitCodes.terminated : exitCodes.interrupted;
      const { text, plan, exitCode } = planned;
      if (flags.json) output.printJson(plan);
      else output.print(text);
      return exitCode;
    }
    const plans = createLoadPlans(options.seed);
    checkPermissions(options, plans);
    const { result, folder, reports, unrestored } = await executeRun(options, plans);
    view.finish();
    await followRun(flags.out);
    const exitCode = reportTrouble(reports, result.exitCode);
    const machine = reporters.some((reporter) => reporter.path === "-");
    if (!machine) {
      const screen = output.screen("stdout", env);
      const { quiet, verbose } = flags;
      output.printRendered(renderSummary(result, screen, { reportPath: join(folder, "report.html"), exitCode, quiet, verbose }));
    }
    for (const text of unrestored) output.say(`assay: ${terminalText(text)}`);
    return exitCode;
  } finally {
    // The signal handlers stay: a second Ctrl-C while the last output drains still leaves with the right code.
    view.finish();
  }
}

/** null: the operator ended it. */
async function planUnlessEnded(options: RunOptions, asks: boolean | undefined): Promise<RunPlan | null> {
  try {
    return await planRun(options, asks);
  } catch (error) {
    if (options.signal.aborted) return null;
    throw error;
  }
}

/** Pages over the kept runs are no part of a run: one that cannot be written changes no exit code. */
async function followRun(outDir: string): Promise<void> {
  for (const { followRun: follow } of Object.values<Feature>(features)) {
    try {
      await follow?.(outDir);
    } catch (error) {
      output.say(`assay: ${terminalText(error instanceof Error ? error.message : String(error))}`);
    }
  }
}

/**
 * A verdict without a target would be one on the embedded service: a wrong working directory must not read as a green night. Only `run`
 * begins by itself with the embedded service, for a person who tries it out.
 */
function checkTarget(stages: readonly Stage[], flags: RunFlags, isGiven: boolean): void {
  if (isGiven) {
    if (flags.demo === true)
      throw new UsageError("--demo tests the embedded service", "leave out --base-url, --config and the manifest");
    return;
  }
  if (flags.demo === true || flags.variant.length > 0 || flags.mutant.length > 0) return;
  const isMeant = ["ASSAY_API_KEY", "CI"].find((name) => (process.env[name] ?? "") !== "");
  const isDemo = stages.length > 1 && isMeant === undefined;
  if (isDemo) return;
  const why = isMeant === undefined || stages.length === 1 ? "" : ` (${isMeant} is set, so that this is no demonstration)`;
  throw new UsageError(
    `no target is given: no --base-url, and no assay.config.yaml here or above${why}`,
    "give --base-url or --config; --demo tests the embedded reference service",
  );
}

function checkBounds({ maxRequests, allowLoad }: RunFlags, isGiven: boolean): void {
  if (isGiven) return;
  if (maxRequests !== undefined) {
    throw new UsageError("--max-requests bounds what a target is sent", "give one with --base-url or a manifest");
  }
  if (allowLoad !== undefined) {
    throw new UsageError("--allow-load permits load on a target", "give one with --base-url or a manifest");
  }
}

/** The lower of both bounds holds: neither a flag nor a manifest may widen what the other allows. */
function withBudget(manifest: Manifest, maxRequests: number | undefined): Manifest {
  if (maxRequests === undefined) return manifest;
  const bound = Math.min(maxRequests, manifest.budget.maxRequests ?? maxRequests);
  return { ...manifest, budget: { ...manifest.budget, maxRequests: bound } };
}

/** `--allow-load` permits where the manifest does not; a rate that the manifest declares bounds it. */
function withAllowedLoad(manifest: Manifest, allowed: number | undefined): Manifest {
  if (allowed === undefined) return manifest;
  const { permissions } = manifest;
  const loadUpToRps = Math.min(allowed, permissions.loadUpToRps ?? allowed);
  return { ...manifest, permissions: { ...permissions, loadUpToRps } };
}

/** A run that may send nothing at all is a mistake of the manifest: reported before it begins, and no run folder is made. */
function checkPermissions(options: RunOptions, plans: LoadPlans): void {
  if (options.manifest === null) return;
  const refusals = findLoadRefusals(options, options.manifest, plans);
  if (!refusesEverything(options, refusals)) return;
  const reasons = refusals.flatMap(({ profile, blockers }) =>
    describeBlockers(blockers).map((reason) => `load ${profile}: ${reason}`),
  );
  throw new UsageError(`the run would send nothing:\n${reasons.join("\n")}`, "assay load --plan shows what it would send");
}

/** The work that the flags ask for, by id. */
function selectWork(flags: RunFlags): Pick<RunOptions, "suites" | "cases" | "requirements" | "checks" | "require" | "expected"> {
  const rows = readCatalogue().map(({ id }) => id);
  const { suite = [], case: cases = [], requirement = [], check = [], require = [], expectScope } = flags;
  selectIds(require, ["complete", ...suiteIds, ...rows], { what: "suite or requirement", listedBy: "assay list requirements" });
  const checks = selectChecks(check);
  return {
    suites: selectIds(suite, suiteIds, { what: "suite", listedBy: "assay list suites" }),
    cases: selectIds(
      cases,
      allCases.map((one) => one.id),
      { what: "conformance case", listedBy: "assay list cases" },
    ),
    requirements: [
      ...new Set([
        ...selectIds(requirement, rows, { what: "requirement", listedBy: "assay list requirements" }),
        ...limitChecks.filter(({ id }) => checks.includes(id)).flatMap(({ requirements }) => requirements),
      ]),
    ],
    checks,
    require,
    expected:
      expectScope === undefined ? null : useSavedResults([expectScope], ([result]) => expectScopeOf(result!, expectScope)),
  };
}

function selectChecks(patterns: readonly string[]): readonly string[] {
  const ids = limitChecks.map(({ id }) => id);
  return selectIds(patterns, ids, { what: "limit check", listedBy: "assay list checks" });
}

/**
 * The limits section of a saved run, judged again: the summary with its verdict last, or the section as JSON where that is asked
 * for. Equal evidence gives equal bytes.
 */
async function replayLimits(folder: string, flags: Pick<RunFlags, "strict" | "reporter" | "json">): Promise<number> {
  const { strict } = flags;
  const reporter = reportersOf(flags);
  const { record, exchanges } = await openRun(folder);
  const result = judgeRun({ ...record, stages: ["limits"], strict: record.strict || strict }, exchanges, noLoad);
  const isJson = reporter.some(({ name, path }) => name === "json" && path === "-");
  const screen = output.screen("stdout");
  if (isJson) output.printJson(result.limits);
  else output.printRendered(renderSummary(result, screen));
  if (result.limits?.verdict === "untested") output.say(`assay: ${whyUntested(record.stages)}`);
  return result.exitCode;
}

/** Load is judged by the gates of its profile while it runs: of its requests too few are kept to count by. */
function whyUntested(stages: readonly Stage[]): string {
  if (stages.includes("limits"))
    return "the exam of this run sent too little to judge a limit by; see its notes: assay report <run-dir>";
  const kept = stages.includes("load")
    ? "of load the evidence keeps samples only, and the limits are judged while it runs, by the gates of its profile (assay report <run-dir> shows them)"
    : "its evidence holds no schedule that reaches a limit";
  return `this run held no exam of limits: ${kept}; assay limits holds one, and --replay judges the run that it saves`;
}

/**
 * The ids that patterns stand for, in the order of `known`. A pattern that stands for none is a mistake: it would leave nothing to
 * send, and that reads like a target that could not be judged.
 */
function selectIds<Id extends string>(
  patterns: readonly string[],
  known: readonly Id[],
  { what, listedBy }: { readonly what: string; readonly listedBy: string },
): readonly Id[] {
  for (const pattern of patterns) {
    if (known.some((id) => matchesId(pattern, id))) continue;
    throw new UsageError(`no ${what} is named ${pattern}`, suggestWord(pattern, known) ?? `${listedBy} shows them`);
  }
  return patterns.length === 0 ? [] : known.filter((id) => patterns.some((pattern) => matchesId(pattern, id)));
}
