import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { judgeRun } from "./judge-run.ts";
import { readRun, type SavedRun } from "./read-run.ts";
import { renderStandard } from "./write-reports.ts";

/**
 * Reports in a run folder that are not what its record gives, one line each. They may be as the run wrote them, or as `--strict` did.
 */
export async function findChangedReports(folder: string, saved: SavedRun): Promise<readonly string[]> {
  const asRun = await findOthers(folder, saved);
  if (asRun.length === 0 || saved.record.strict) return asRun.map(describe);
  const { record, ...strict } = await readRun(folder, { strict: true });
  const asStrict = await findOthers(folder, { ...strict, record: { ...record, strict: true } });
  return asRun.filter((name) => asStrict.includes(name)).map(describe);
}

async function findOthers(folder: string, { record, exchanges, load }: SavedRun): Promise<readonly string[]> {
  const rendered = await renderStandard(judgeRun(record, exchanges, load), exchanges);
  return [...rendered].flatMap(([name, text]) => {
    const file = join(folder, name);
    return !existsSync(file) || readFileSync(file, "utf8") === text ? [] : [name];
  });
}

function describe(name: string): string {
  return `${name} was not what the record of the run gives: it was changed, or another version of assay wrote it; it is written anew`;
}
