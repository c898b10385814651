import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRuns } from "../../../command/find-runs.ts";
import { renderHistoryHtml } from "../report/render-history-html.ts";
import { createHistory } from "../runs/history.ts";

/** Two months of nights: a run must not wait for a year of them to be read. `assay history` shows more. */
const runsShown = 60;

/** The page over the kept runs of the target of the newest, beside them, from the second run on. A page of somebody else stays. */
export function refreshIndex(dir: string): void {
  const file = join(dir, "index.html");
  if (existsSync(file) && !isOurs(file)) return;
  const found = findRuns(dir, runsShown);
  const history = found.runs.length < 2 ? null : createHistory(found, undefined);
  if (history === null) return;
  // A reader meanwhile has the old page or the new one, never a part.
  const fresh = join(dir, `.index-${process.pid}.html`);
  writeFileSync(fresh, renderHistoryHtml(history));
  renameSync(fresh, file);
}

/** Each page of this kind has such a title. */
function isOurs(file: string): boolean {
  return /<title>[^<]*, \d+ runs? · assay<\/title>/.test(readFileSync(file, "utf8").slice(0, 4000));
}
