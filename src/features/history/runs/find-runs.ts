import { readdirSync } from "node:fs";
import { join } from "node:path";
import { useSavedResults } from "../../../command/read-saved-result.ts";
import type { KeptRun } from "./kept-run.ts";

export interface FoundRuns {
  /** Oldest first. */
  readonly runs: readonly KeptRun[];
  /** Folders with a result that cannot be read, and why. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Older runs beyond the bound. */
  readonly left: number;
}

const deepest = 3;
/** A year of nights. */
const mostRuns = 400;

/** Run folders below a folder, links not followed. A result that cannot be read is reported, and hides no other. */
export function findRuns(dir: string): FoundRuns {
  const paths = listRunFolders(dir, [], deepest).toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const kept = paths.slice(-mostRuns);
  const runs: KeptRun[] = [];
  const skipped: { path: string; reason: string }[] = [];
  for (const parts of kept) {
    const path = parts.join("/");
    const between = parts.slice(0, -1).join("/");
    try {
      const run = useSavedResults([join(dir, ...parts)], ([result]) => ({
        path,
        label: between === "" ? null : between,
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

/** Run ids begin with the instant of their start. */
function nameOf(parts: readonly string[]): string {
  return parts.at(-1) ?? "";
}

function listRunFolders(dir: string, parts: readonly string[], depth: number): readonly (readonly string[])[] {
  const entries = readdirSync(join(dir, ...parts), { withFileTypes: true });
  if (parts.length > 0 && entries.some((entry) => entry.isFile() && entry.name === "result.json")) return [parts];
  if (depth === 0) return [];
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .flatMap((entry) => listRunFolders(dir, [...parts, entry.name], depth - 1));
}
