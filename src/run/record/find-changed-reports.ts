import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Result } from "../../core/result/result.ts";
import { removeChangedNotice } from "../../report/html/changed-notice.ts";
import { kindOfFile } from "./kind-of-file.ts";
import { rejudgeRun, type RejudgedRun } from "./rejudge-run.ts";
import { renderKept } from "./write-reports.ts";

/**
 * Names of the reports in a run folder that are not what its record gives. They may be as the run wrote them, or as a report in
 * the other of the two modes, with `--strict` and without, did.
 */
export async function findChangedReports(folder: string, judged: RejudgedRun): Promise<readonly string[]> {
  const others = await findOthers(folder, judged.result, judged.exchanges);
  if (others.length === 0) return [];
  const again = await rejudgeRun(folder, { strict: !judged.result.strict });
  const stillOthers = await findOthers(folder, again.result, again.exchanges);
  return others.filter((name) => stillOthers.includes(name));
}

async function findOthers(folder: string, result: Result, exchanges: readonly Exchange[]): Promise<readonly string[]> {
  const rendered = await renderKept(folder, result, exchanges);
  return [...rendered].flatMap(([name, text]) => {
    const file = join(folder, name);
    const kind = kindOfFile(file);
    return kind === "none" || (kind === "file" && removeChangedNotice(readFileSync(file, "utf8")) === text) ? [] : [name];
  });
}
