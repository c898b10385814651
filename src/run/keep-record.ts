import { rmSync } from "node:fs";
import { join } from "node:path";
import { redactManifest } from "../config/redact-manifest.ts";
import { visibleJson } from "../core/exchange/bodies/visible-json.ts";
import type { ChallengeRecorder } from "./challenge-recorder.ts";
import { maskOf, noManifest, type OpenRun } from "./open-run.ts";
import type { RunSession } from "./run-session.ts";
import { selectRows, selectSuites } from "./select-suites.ts";
import { describeFault } from "./verdict/describe-fault.ts";
import { maskRecord } from "./record/mask-record.ts";
import { newRecord } from "./record/new-record.ts";
import type { RunRecord } from "./record/run-record.ts";
import { sealRecord } from "./record/seal-record.ts";
import { unfinishedFile } from "./record/unfinished-file.ts";
import { writeWhole } from "./record/write-whole.ts";

/**
 * Keeps the facts of the run so far, for the case that the process is killed: `assay report` judges the exchanges that were
 * recorded until then.
 */
export function keepUnfinished(run: OpenRun): void {
  const record = describeSealed(run, []);
  try {
    writeWhole(join(run.folder, unfinishedFile), `${visibleJson(record, 1)}\n`);
  } catch {
    // A disk that is full is reported at the end, when what counts cannot be written either.
  }
}

export interface KeptRecord {
  readonly record: RunRecord;
  /** The files that a disk did not take. */
  readonly unwritten: readonly string[];
}

/** A disk that is full loses files, not the verdict: the summary is still shown, as a run that assay could not keep. */
export async function keepRecord(run: OpenRun, endRecorder: ReturnType<ChallengeRecorder> | undefined): Promise<KeptRecord> {
  const { session, results, folder } = run;
  const unwritten: string[] = [];
  const noteUnwritten = (what: string, error: unknown): void => {
    const text = `${what} could not be written: ${describeFault(error)}`;
    // A disk that is full and a folder that is gone are no faults of assay.
    if (isSystemError(error)) unwritten.push(text);
    else results.internalError ??= text;
  };
  await session.close().catch((error: unknown) => noteUnwritten("the record", error));
  const record = describeSealed(run, (await endRecorder?.()) ?? []);
  try {
    writeWhole(join(folder, "run.json"), `${visibleJson(record, 1)}\n`);
    rmSync(join(folder, unfinishedFile), { force: true });
  } catch (error) {
    noteUnwritten("run.json", error);
  }
  return { record, unwritten };
}

/** Answers of load are masked quickly and not deeply, and messages of faults not at all: here all is. */
function describeSealed(run: OpenRun, witness: RunRecord["witness"]): RunRecord {
  return sealRecord(maskRecord(describeRun(run, witness), maskOf(run.results)));
}

function describeRun({ runId, startedAt, session, results }: OpenRun, witness: RunRecord["witness"]): Omit<RunRecord, "seal"> {
  const { options } = session;
  const rows = selectRows(options);
  const manifest = results.manifest ?? noManifest;
  const shown = redactManifest({ ...manifest, require: [...new Set([...manifest.require, ...options.require])] });
  return {
    ...newRecord({ ...options, runId, startedAt: startedAt.toISOString(), manifest: shown }),
    suites: selectSuites(options),
    rows: rows === null ? null : [...rows],
    ...(options.checks === undefined || options.checks.length === 0 ? {} : { checks: options.checks }),
    expected: options.expected,
    durationMs: Math.round(session.elapsedMs()),
    interrupted: options.interruptedBy(),
    internalError: results.internalError,
    invalidBecause: [...new Set(session.invalidBecause)],
    server: results.server,
    variants: results.server === null ? [] : options.variants,
    mutants: results.server === null ? [] : options.mutants,
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

/** Whether the operating system refused something; an error that wraps such an error counts. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && ("syscall" in error || isSystemError(error.cause));
}
