import { join } from "node:path";
import { terminalText } from "../../report/escape/terminal.ts";
import { createScreen } from "../../report/terminal/screen.ts";
import { renderSummary } from "../../report/terminal/summary.ts";
import { findChangedReports } from "../../run/record/find-changed-reports.ts";
import { rejudgeRun } from "../../run/record/rejudge-run.ts";
import { readRun, type SavedRun } from "../../run/record/read-run.ts";
import { writeReports } from "../../run/record/write-reports.ts";
import { UsageError } from "../usage-error.ts";

/** Judges a saved run again and writes its reports anew; nothing is sent. */
export async function reportCommand(folder: string, { strict }: { readonly strict: boolean }): Promise<number> {
  const judged = await orUsage(rejudgeRun(folder, { strict }));
  const { result, exchanges, problems } = judged;
  // Where the record itself was changed, that is what there is to say.
  const changed = problems.length > 0 ? [] : await findChangedReports(folder, judged);
  for (const problem of [...problems, ...changed]) process.stderr.write(`assay: ${terminalText(problem)}\n`);
  await writeReports({ result, evidence: exchanges, folder, reporters: [] });
  const screen = createScreen({ stream: process.stdout, env: process.env });
  process.stdout.write(renderSummary(result, screen, { reportPath: join(folder, "report.html") }));
  return result.exitCode;
}

export function openRun(folder: string): Promise<SavedRun> {
  return orUsage(readRun(folder));
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
