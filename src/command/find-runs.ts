import { join } from "node:path";
import { useSavedResults } from "./read-saved-result.ts";
import type { KeptRun } from "./kept-run.ts";
import { listRunFolders } from "./list-run-folders.ts";

export interface FoundRuns {
  /** Oldest first. */
  readonly runs: readonly KeptRun[];
  /** Folders with a result that cannot be read, and why. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Older runs beyond the bound. */
  readonly left: number;
}

/** A year of nights. */
const mostRuns = 400;

/** The newest run folders below a folder, links not followed. A result that cannot be read is reported, and hides no other. */
export function findRuns(dir: string, most: number = mostRuns): FoundRuns {
  const paths = listRunFolders(dir);
  const kept = paths.slice(-most);
  const runs: KeptRun[] = [];
  const skipped: { path: string; reason: string }[] = [];
  for (const path of kept) {
    const between = path.split("/").slice(0, -1).join("/");
    try {
      const run = useSavedResults([join(dir, path)], ([result]) => ({
        path,
        label: result!.label ?? (between === "" ? null : between),
        // Read here, so that a result that lacks what every run has is skipped rather than shown in part.
        result: { ...result!, startedAt: new Date(result!.startedAt).toISOString(), target: { ...result!.target } },
      }));
      runs.push(run);
    } catch (error) {
      skipped.push({ path, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  const sorted = runs.toSorted((one, other) => (one.result.startedAt < other.result.startedAt ? -1 : 1));
  return { runs: sorted, skipped, left: paths.length - kept.length };
}
