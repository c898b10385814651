import { rmSync } from "node:fs";
import { join } from "node:path";
import { HarnessFault } from "../conformance/verdict/harness-fault.ts";
import { boundRequests } from "./bound-requests.ts";
import type { Witness } from "./certificate/witness.ts";
import { boundTime, type TimeBound } from "./bound-time.ts";
import { completeManifest } from "../config/complete-manifest.ts";
import { redactManifest } from "../config/redact-manifest.ts";
import type { NotJudged } from "../limits/exam/not-judged.ts";
import type { LoadResult } from "../core/result/load-result.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Result } from "../core/result/result.ts";
import { visibleJson } from "../core/exchange/bodies/visible-json.ts";
import { createRedactor } from "../wire/redaction/redaction.ts";
import { maskRecord } from "./record/mask-record.ts";
import { createEvidenceWriter } from "../evidence/evidence-writer.ts";
import type { ReporterOutcome } from "../report/reporters/run-reporters.ts";
import { confirmAnswering } from "./stages/confirm-answering.ts";
import { type ConformanceStage, runConformanceStage } from "./stages/conformance-stage.ts";
import { discoverModels } from "./stages/discover-models.ts";
import { describeFault } from "./verdict/describe-fault.ts";
import { createLedgerFile } from "./record/ledger-file.ts";
import type { MeasuredLoad } from "./verdict/find-load-findings.ts";
import { unfinishedFile } from "./record/unfinished-file.ts";
import { writeWhole } from "./record/write-whole.ts";
import { sealRecord } from "./record/seal-record.ts";
import { judgeRun } from "./record/judge-run.ts";
import { readLedger } from "./record/read-ledger.ts";
import { planByAnswers, runLimitsStage } from "./stages/limits-stage.ts";
import { runLoadStage } from "./stages/load-stage.ts";
import { type OpenTarget, openTarget } from "./open-target.ts";
import { finishPending, reportUnrestored } from "./record/pending-settings.ts";
import { createLoadPlans, type LoadPlans } from "./stages/load-plans.ts";
import { planParts } from "./stages/plan-parts.ts";
import { preflight } from "./stages/preflight.ts";
import { pointToLatest } from "./record/latest-run.ts";
import { createRunFolder } from "./record/run-folder.ts";
import type { RunOptions, Stage } from "./run-options.ts";
import type { RunRecord } from "./record/run-record.ts";
import { RunSession } from "./run-session.ts";
import { selectRows, selectSuites } from "./stages/select-suites.ts";
import { specification } from "./specification.ts";
import { readToolVersion } from "./tool-version.ts";
import { writeReports } from "./record/write-reports.ts";

export interface RunOutcome {
  readonly result: Result;
  readonly folder: string;
  readonly reports: readonly ReporterOutcome[];
  /** Settings of the target that are still changed; each says how to put them back. */
  readonly unrestored: readonly string[];
}

/** Stands in when the run ended before there was a target. */
const noManifest = completeManifest({ target: { name: "none", baseUrl: "http://127.0.0.1" } });

/** What the stages left behind, as far as they got. */
interface StageResults {
  manifest: Manifest | null;
  server: string | null;
  conformance: ConformanceStage | null;
  limitsNotJudged: readonly NotJudged[];
  load: LoadResult | null;
  internalError: string | null;
}

/** A run that has a folder, and no reports yet. */
interface OpenRun {
  readonly runId: string;
  readonly folder: string;
  readonly startedAt: Date;
  readonly session: RunSession;
  readonly results: StageResults;
}

/**
 * One run from plan to reports. Whatever happens in between (an interrupt, a dead target, a fault of ours), what was judged
 * until then is written. Rejects only when not even a run folder can be made. `plans`: of its profiles, where they were asked for before.
 */
export async function executeRun(asked: RunOptions, plans: LoadPlans = createLoadPlans(asked.seed)): Promise<RunOutcome> {
  const time = boundTime(boundRequests(asked, plans), asked.manifest ?? noManifest);
  const { options } = time;
  if (options.manifest !== null) options.onProgress({ kind: "note", text: `worst case of this run: ${time.words}` });
  const run = openRun(options);
  const { session, results, folder } = run;
  const endWitness = options.witness?.({
    runId: run.runId,
    startedAt: run.startedAt.toISOString(),
    folder,
    command: options.command,
    heads: () => session.heads(),
  });
  try {
    await runStages(session, results, { time, plans }, () => keepUnfinished(run));
  } catch (error) {
    if (!options.signal.aborted || error instanceof HarnessFault) results.internalError = describeFault(error);
  }
  time.release();
  const exceeded = time.exceeded();
  if (exceeded !== null) session.invalidBecause.push(exceeded);
  const unrestored = reportUnrestored(session);
  const { record, unwritten } = await keepRecord(run, endWitness);
  const result = await judge(run, record, unwritten);
  const reports = await writeReports({ result, evidence: session.exchanges, folder, reporters: options.reporters });
  return { result, folder, reports, unrestored };
}

function openRun(options: RunOptions): OpenRun {
  const startedAt = new Date();
  const { runId, folder } = createRunFolder(options.outDir, startedAt);
  const unnamed = pointToLatest(options.outDir, runId);
  if (unnamed !== null) options.onProgress({ kind: "note", text: unnamed });
  const results: StageResults = {
    manifest: options.manifest,
    server: null,
    conformance: null,
    limitsNotJudged: [],
    load: null,
    internalError: null,
  };
  const header = { kind: "header", schemaVersion: "1.0", runId, tool: { name: "assay", version: readToolVersion() } } as const;
  const session = new RunSession(options, {
    openEvidence: (manifest) =>
      createEvidenceWriter(join(folder, "evidence.ndjson"), {
        ...header,
        specSha256: specification.sha256,
        startedAt: startedAt.toISOString(),
        seed: options.seed,
        strict: options.strict,
        command: options.command,
        manifest: redactManifest(manifest),
      }),
    openLedger: () => createLedgerFile(join(folder, "load.ndjson"), { header, mask: maskOf(results) }),
  });
  return { runId, folder, startedAt, session, results };
}

/** `onManifest`: called when it is known what is measured, before the first request, and when its models are known. */
async function runStages(
  session: RunSession,
  results: StageResults,
  { time, plans }: { readonly time: TimeBound; readonly plans: LoadPlans },
  onManifest: () => void,
): Promise<void> {
  const { options } = session;
  const wants = (stage: Stage): boolean => options.stages.includes(stage) && !options.signal.aborted;
  let beginsAtMs = 0;
  if (wants("conformance") || wants("limits")) {
    const target = await openTarget(options, { latency: "instant", time: "virtual" });
    try {
      results.manifest = target.manifest;
      results.server = target.server;
      onManifest();
      const ready = await prepareTarget(session, target);
      if (ready === null) return;
      results.manifest = ready.manifest;
      onManifest();
      const limits = wants("limits") ? await planByAnswers(session, ready) : null;
      options.onProgress({ kind: "run-started", parts: planParts(options, ready.manifest, limits, plans) });
      if (wants("conformance")) results.conformance = await runConformanceStage(session, ready);
      if (results.conformance?.refused === true) return;
      if (wants("limits") && limits !== null) results.limitsNotJudged = await runLimitsStage(session, ready, limits);
    } finally {
      beginsAtMs = target.clock.nowMs();
      await target.close();
    }
  }
  if (wants("load")) {
    time.beginLoad();
    const target = await openTarget(options, { latency: "realistic", time: "real", beginsAtMs });
    try {
      const ready = results.manifest !== null && options.manifest !== null ? { ...target, manifest: results.manifest } : target;
      const isFirst = results.manifest === null;
      results.manifest ??= target.manifest;
      results.server ??= target.server;
      onManifest();
      const prepared = await prepareTarget(session, ready);
      if (prepared === null) return;
      if (isFirst) results.manifest = prepared.manifest;
      onManifest();
      results.load = await runLoadStage(session, prepared, plans);
      await confirmAnswering(session, prepared, results.load);
    } finally {
      await target.close();
    }
  }
}

/** Sees whether the target answers, puts back what a crashed run left changed, chooses models; null: nothing can be measured. */
async function prepareTarget(session: RunSession, target: OpenTarget): Promise<OpenTarget | null> {
  const { manifest, clock } = target;
  // The embedded service has announced itself, its manifest names its models, and nobody has changed it before.
  if (target.server !== null) return target;
  const wire = session.openWire(manifest, clock);
  try {
    const { exchange, refusal } = await preflight(manifest, wire, session.options);
    await finishPending(session, { manifest, sender: wire, clock, refusal });
    if (refusal !== null) {
      session.invalidBecause.push(refusal);
      return null;
    }
    const discovered = discoverModels(manifest, exchange);
    session.notes.push(...discovered.notes);
    return { ...target, manifest: discovered.manifest };
  } finally {
    await wire.close();
  }
}

/** What is known of the run so far, for the case that the process is killed: `assay report` judges what was recorded until then. */
function keepUnfinished(run: OpenRun): void {
  const record = describeSealed(run, []);
  try {
    writeWhole(join(run.folder, unfinishedFile), `${visibleJson(record, 1)}\n`);
  } catch {
    // A disk that is full is reported at the end, when what counts cannot be written either.
  }
}

interface KeptRecord {
  readonly record: RunRecord;
  /** What a disk did not take. */
  readonly unwritten: readonly string[];
}

/** A disk that is full loses files, not the verdict: the summary is still shown, as a run that assay could not keep. */
async function keepRecord(run: OpenRun, endWitness: ReturnType<Witness> | undefined): Promise<KeptRecord> {
  const { session, results, folder } = run;
  const unwritten: string[] = [];
  const noteUnwritten = (what: string, error: unknown): void => {
    const text = `${what} could not be written: ${describeFault(error)}`;
    // A disk that is full and a folder that is gone are no faults of assay.
    if (isSystemError(error)) unwritten.push(text);
    else results.internalError ??= text;
  };
  await session.close().catch((error: unknown) => noteUnwritten("the record", error));
  const record = describeSealed(run, (await endWitness?.()) ?? []);
  try {
    writeWhole(join(folder, "run.json"), `${visibleJson(record, 1)}\n`);
    rmSync(join(folder, unfinishedFile), { force: true });
  } catch (error) {
    noteUnwritten("run.json", error);
  }
  return { record, unwritten };
}

async function judge(run: OpenRun, record: RunRecord, unwritten: readonly string[]): Promise<Result> {
  const { session, results } = run;
  const measured = maskRecord(await measuredLoad(run), maskOf(results));
  const { internalError, conformance } = results;
  const toJudge = { ...record, internalError, invalidBecause: [...record.invalidBecause, ...unwritten] };
  return judgeRun(toJudge, session.exchanges, measured, conformance?.judged);
}

/** A stage that broke off gives no result: what it measured until then is in its ledger, and only there. */
async function measuredLoad({ session, results: { load }, folder }: OpenRun): Promise<MeasuredLoad> {
  if (load !== null || session.heads().load === null)
    return { load, loadFindings: session.loadFindings, passive: session.passive() };
  return (await readLedger(join(folder, "load.ndjson"), { strict: session.options.strict })).load;
}

/** Answers of load are masked quickly and not deeply, and messages of faults not at all: here all is. */
function describeSealed(run: OpenRun, witness: RunRecord["witness"]): RunRecord {
  return sealRecord(maskRecord(describeRun(run, witness), maskOf(run.results)));
}

function maskOf({ manifest }: StageResults): (text: string) => string {
  return createRedactor(manifest ?? noManifest).maskDeep;
}

function describeRun({ runId, startedAt, session, results }: OpenRun, witness: RunRecord["witness"]): Omit<RunRecord, "seal"> {
  const { options } = session;
  const rows = selectRows(options);
  const manifest = results.manifest ?? noManifest;
  return {
    schemaVersion: "1.0",
    runId,
    command: options.command,
    seed: options.seed,
    strict: options.strict,
    stages: options.stages,
    suites: selectSuites(options),
    rows: rows === null ? null : [...rows],
    expected: options.expected,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    interrupted: options.interruptedBy(),
    internalError: results.internalError,
    invalidBecause: [...new Set(session.invalidBecause)],
    tool: { name: "assay", version: readToolVersion(), node: process.version, platform: `${process.platform} ${process.arch}` },
    server: results.server,
    variants: results.server === null ? [] : options.variants,
    mutants: results.server === null ? [] : options.mutants,
    manifest: redactManifest({ ...manifest, require: [...new Set([...manifest.require, ...options.require])] }),
    untested: [...(results.conformance?.untested ?? [])],
    limitsNotJudged: results.limitsNotJudged,
    spent: session.spent(),
    health: session.health(),
    notes: [...new Set([...session.notes, ...noteTooLarge(session)])],
    heads: session.heads(),
    witness,
  };
}

function noteTooLarge(session: RunSession): readonly string[] {
  const count = session.tooLargeToKeep();
  return count === 0 ? [] : [`${count} answers of load were too large to be kept as evidence with the others; they were judged`];
}

/** What the operating system refused; an error that wraps one counts. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && ("syscall" in error || isSystemError(error.cause));
}
