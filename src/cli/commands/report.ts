import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodes } from "../../core/result/verdict.ts";
import { addChangedNotice } from "../../report/html/changed-notice.ts";
import { writeWhole } from "../../run/record/write-whole.ts";
import { readToolVersion } from "../../run/tool-version.ts";
import type { ReporterRequest } from "../../report/reporters/reporter.ts";
import { terminalText } from "../../report/escape/terminal.ts";
import { renderSummary } from "../../report/terminal/summary.ts";
import { findChangedReports } from "../../run/record/find-changed-reports.ts";
import { type RejudgedRun, rejudgeRun } from "../../run/record/rejudge-run.ts";
import { readRun, type SavedRun } from "../../run/record/read-run.ts";
import { keptReporters, writeReports } from "../../run/record/write-reports.ts";
import { chooseRunFolder } from "../../command/choose-run-folder.ts";
import { openInBrowser } from "../../command/open-in-browser.ts";
import { reportersOf } from "../../command/run-flags.ts";
import { reportTrouble } from "../../command/report-trouble.ts";
import { UsageError } from "../../command/usage-error.ts";
import { output } from "../../report/terminal/output.ts";

export interface ReportFlags {
  readonly strict: boolean;
  readonly open: boolean;
  readonly reporter: readonly ReporterRequest[];
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Judges a saved run again, writes its reports anew and those that are asked for; nothing is sent. Default: the last run. */
export async function reportCommand(asked: string | undefined, flags: ReportFlags): Promise<number> {
  const { strict, open, quiet, verbose } = flags;
  const reporter = reportersOf(flags);
  const folder = chooseRunFolder(asked);
  const judged = await orUsage(rejudgeRun(folder, { strict }));
  const { result, exchanges, problems } = judged;
  // If the record itself was changed, only that is reported.
  const changed = problems.length > 0 ? [] : await findChangedReports(folder, judged);
  const notes = changed.map((name) => `${name} was not what the record of the run gives: ${whyOther(judged)}; it is rewritten`);
  sayProblems([...problems, ...notes]);
  const kept = keptReporters(folder).filter(({ name }) => !reporter.some((asked) => asked.name === name));
  const reports = await writeReports({ result, evidence: exchanges, folder, reporters: [...kept, ...reporter] });
  const areReportsEdited = changed.length > 0 && isOfThisVersion(judged);
  if (areReportsEdited) noteOnPage(join(folder, "report.html"), changed);
  // An edit is a finding about the run, whatever its verdict: reports were shown to somebody, and a record says nothing any more.
  const isEdited = areReportsEdited || judged.isEdited;
  const exitCode = reportTrouble(reports, isEdited ? exitCodes.findings : result.exitCode);
  if (open) openInBrowser(join(folder, "report.html"));
  if (reporter.some(({ path }) => path === "-")) return exitCode;
  const screen = output.screen("stdout");
  const reportPath = join(folder, "report.html");
  output.printRendered(renderSummary(result, screen, { reportPath, exitCode, isEdited, quiet, verbose }));
  return exitCode;
}

/** Another version of assay renders other reports of the same record, and nobody has changed them. */
function isOfThisVersion({ record }: RejudgedRun): boolean {
  return record.tool.version === readToolVersion();
}

function whyOther(judged: RejudgedRun): string {
  return isOfThisVersion(judged) ? "it was changed" : "it was changed, or another version of assay wrote it";
}

function noteOnPage(file: string, changed: readonly string[]): void {
  try {
    writeWhole(file, addChangedNotice(readFileSync(file, "utf8"), changed));
  } catch {
    // A page that cannot be written is a trouble of its reporter, which is reported.
  }
}

/** A saved run, for a command that reads a part of it; what is wrong with its files is said. */
export async function openRun(folder: string): Promise<SavedRun> {
  const saved = await orUsage(readRun(chooseRunFolder(folder)));
  sayProblems(saved.problems);
  return saved;
}

/** Anybody may have written the files: as many faults as they like. */
function sayProblems(problems: readonly string[]): void {
  if (problems.length > 0) output.refuse(problems.map((problem) => `assay: ${terminalText(problem)}`).join("\n"));
}

async function orUsage<Read>(reading: Promise<Read>): Promise<Read> {
  try {
    return await reading;
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message : String(error),
      "give the folder of a run, such as reports/2026-11-21T08-00-00Z",
    );
  }
}
