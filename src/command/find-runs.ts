import { join } from "node:path";
import { useSavedResults } from "./read-saved-result.ts";
import type { KeptRun } from "./kept-run.ts";
import { readdirSync } from "node:fs";

/** Folders below the one that is searched. */
const deepest = 3;

/** Paths of run folders below a folder, with slashes, links not followed, oldest first: run ids begin with the instant of their start. */
export function listRunFolders(dir: string): readonly string[] {
  const nameOf = (parts: readonly string[]): string => parts.at(-1) ?? "";
  return listBelow(dir, [], deepest)
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
    .map((parts) => parts.join("/"));
}

function listBelow(dir: string, parts: readonly string[], depth: number): readonly (readonly string[])[] {
  const entries = readdirSync(join(dir, ...parts), { withFileTypes: true });
  if (parts.length > 0 && entries.some((entry) => entry.isFile() && entry.name === "result.json")) return [parts];
  if (depth === 0) return [];
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .flatMap((entry) => listBelow(dir, [...parts, entry.name], depth - 1));
}

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
