import { join } from "node:path";
import { createScreen } from "../../report/terminal/screen.ts";
import { renderSummary } from "../../report/terminal/summary.ts";
import { judgeRun } from "../../run/record/judge-run.ts";
import { readRun, type SavedRun } from "../../run/record/read-run.ts";
import { writeReports } from "../../run/record/write-reports.ts";
import { UsageError } from "../usage-error.ts";

/** Judges a saved run again and writes its reports anew; nothing is sent. */
export async function reportCommand(folder: string, { strict }: { readonly strict: boolean }): Promise<number> {
  const { record, exchanges, problems } = await openRun(folder);
  for (const { line, message } of problems) process.stderr.write(`assay: evidence.ndjson:${line}: ${message}\n`);
  const tampered = problems
    .filter((problem) => problem.kind === "chain-broken")
    .map(({ line }) => `evidence.ndjson was changed after the run (line ${line})`);
  const invalidBecause = [...record.invalidBecause, ...tampered];
  const result = judgeRun({ ...record, strict: record.strict || strict, invalidBecause }, exchanges);
  await writeReports({ result, evidence: exchanges, folder, reporters: [] });
  const screen = createScreen({ stream: process.stdout, env: process.env });
  process.stdout.write(renderSummary(result, screen, { reportPath: join(folder, "report.html") }));
  return result.exitCode;
}

export async function openRun(folder: string): Promise<SavedRun> {
  try {
    return await readRun(folder);
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message : String(error),
      "give the folder of a run, such as reports/2026-11-21T08-00-00Z",
    );
  }
}
