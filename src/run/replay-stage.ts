import type { Finding } from "../core/result/finding.ts";
import { examinedEndpoints, type Manifest } from "../core/manifest.ts";
import type { Result } from "../core/result/result.ts";
import type { OnProgress } from "../core/progress.ts";
import { limitJudge } from "../limits/verdict/check-occurrences.ts";
import { builtInProfiles, loadProfile } from "../load/plan/read-profile.ts";
import { executeRun } from "./execute-run.ts";
import type { RunOptions, Stage } from "./run-options.ts";
import { repeatedId } from "../core/result/repeated-id.ts";
import { gateFindingId } from "./verdict/find-missed-gates.ts";
import type { RunRecord } from "./record/run-record.ts";

export interface StageReplay {
  readonly outcome: "fixed" | "still fails" | "inconclusive";
  readonly reason: string;
  /** Folder of the run that was made for it; null where none was. */
  readonly folder: string | null;
}

export interface StageReplayOptions {
  readonly finding: Finding;
  readonly record: RunRecord;
  readonly result: Result;
  /** null: the embedded reference service, as the run had it. */
  readonly manifest: Manifest | null;
  readonly outDir: string;
  readonly signal: AbortSignal;
  readonly interruptedBy: RunOptions["interruptedBy"];
  readonly onProgress: OnProgress;
}

/** Whether one request shows it again, or only the schedule that found it. */
export function needsStage({ stage, check }: Finding): boolean {
  return stage === "limits" || stage === "load" || check === limitJudge;
}

/**
 * A finding that one request cannot show is asked of its stage: the exam of limits, or the load profile, runs again with the
 * same seed, and the same finding is looked for by its id.
 */
export async function replayStage(options: StageReplayOptions): Promise<StageReplay> {
  const { finding, record, manifest } = options;
  const work = chooseWork(options);
  if ("problem" in work) return { outcome: "inconclusive", reason: work.problem, folder: null };
  const { result, folder } = await executeRun({
    ...work,
    manifest,
    variants: record.variants,
    mutants: record.mutants,
    suites: [],
    cases: [],
    requirements: [],
    require: [],
    expected: null,
    exam: null,
    outDir: options.outDir,
    seed: record.seed,
    strict: record.strict,
    reporters: [],
    command: ["assay", "replay", finding.id],
    signal: options.signal,
    interruptedBy: options.interruptedBy,
    onProgress: options.onProgress,
  });
  return { ...compare(finding, result), folder };
}

type Work = Pick<RunOptions, "profiles" | "endpoint"> & { readonly stages: readonly Stage[] };

function chooseWork({ finding, result }: StageReplayOptions): Work | { readonly problem: string } {
  if (finding.stage !== "load") {
    const policy = result.limits?.policies.find(({ checks }) => checks.some(({ findings }) => findings.includes(finding.id)));
    const endpoint = policy?.kind === "requests" ? examinedEndpoints.find((name) => name === policy.endpoint) : undefined;
    return { stages: ["limits"], profiles: [], ...(endpoint === undefined ? {} : { endpoint }) };
  }
  const profiles = result.load?.profiles ?? [];
  const own = profiles.filter((profile) => profile.gates.some((gate) => gateFindingId(profile, gate) === finding.id));
  const ids = [...new Set((own.length > 0 ? own : profiles).map(repeatedId))];
  const unknown = ids.find((id) => !builtInProfiles().includes(id));
  if (unknown !== undefined)
    return { problem: `the profile ${unknown} is not a built-in one: run assay load --profile with its file` };
  return { stages: ["load"], profiles: ids.map((id) => loadProfile(id)) };
}

function compare(finding: Finding, result: Result): Omit<StageReplay, "folder"> {
  const again = result.findings.find(({ id }) => id === finding.id);
  if (again !== undefined) return { outcome: "still fails", reason: again.message };
  const isPassed = wasJudged(finding, result);
  if (isPassed) return { outcome: "fixed", reason: "the same schedule does not show it any more" };
  return {
    outcome: "inconclusive",
    reason: result.reason === "" ? "it was not judged this time" : `it was not judged this time: ${result.reason}`,
  };
}

/** Whether it was judged again, with enough evidence, and met. */
function wasJudged({ stage, check, requirement }: Finding, { limits, load, conformance, passive }: Result): boolean {
  if (stage === "load") {
    const gates = (load?.profiles ?? []).filter(({ validity }) => validity.valid).flatMap((profile) => profile.gates);
    const named = gates.filter(({ id }) => id === check);
    return named.length > 0 ? named.every(({ verdict }) => verdict === "pass") : gates.length > 0 && passive.responsesJudged > 0;
  }
  const checks = (limits?.policies ?? []).flatMap((policy) => policy.checks).filter(({ id }) => id === check);
  if (checks.length > 0)
    return checks.some(({ verdict }) => verdict === "pass") && checks.every(({ verdict }) => verdict !== "fail");
  return conformance?.requirements.find(({ id }) => id === requirement)?.verdict === "pass";
}
