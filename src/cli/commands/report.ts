import { join } from "node:path";
import { createScreen } from "../../report/terminal/screen.ts";
import { renderSummary } from "../../report/terminal/summary.ts";
import { findChangedReports } from "../../run/record/find-changed-reports.ts";
import { judgeRun } from "../../run/record/judge-run.ts";
import { readRun, type SavedRun } from "../../run/record/read-run.ts";
import { writeReports } from "../../run/record/write-reports.ts";
import { UsageError } from "../usage-error.ts";

/** Judges a saved run again and writes its reports anew; nothing is sent. */
export async function reportCommand(folder: string, { strict }: { readonly strict: boolean }): Promise<number> {
  const saved = await openRun(folder, { strict });
  const { record, exchanges, load, problems } = saved;
  // Where the record itself was changed, that is what there is to say.
  const changed = problems.length > 0 ? [] : await findChangedReports(folder, strict ? await openRun(folder) : saved);
  for (const problem of [...problems, ...changed]) process.stderr.write(`assay: ${problem}\n`);
  const invalidBecause = [...record.invalidBecause, ...problems];
  const result = judgeRun({ ...record, strict: record.strict || strict, invalidBecause }, exchanges, load);
  await writeReports({ result, evidence: exchanges, folder, reporters: [] });
  const screen = createScreen({ stream: process.stdout, env: process.env });
  process.stdout.write(renderSummary(result, screen, { reportPath: join(folder, "report.html") }));
  return result.exitCode;
}

export async function openRun(folder: string, options: { readonly strict?: boolean } = {}): Promise<SavedRun> {
  try {
    return await readRun(folder, options);
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message : String(error),
      "give the folder of a run, such as reports/2026-11-21T08-00-00Z",
    );
  }
}
