import { mkdirSync } from "node:fs";
import { makeFolders } from "./make-folders.ts";
import { join } from "node:path";

/** The folder for run folders cannot be used: it is a file, may not be written, or its disk is full. */
export class RunFolderError extends Error {}

/** Folder of one run: `OUT/2026-11-21T08-53-01Z`, with a counter when two runs start in the same second. Never an existing one. */
export function createRunFolder(outDir: string, startedAt: Date): { readonly runId: string; readonly folder: string } {
  makeOutFolder(outDir);
  const stamp = startedAt.toISOString().slice(0, 19).replaceAll(":", "-");
  for (let counter = 1; ; counter += 1) {
    const runId = counter === 1 ? `${stamp}Z` : `${stamp}Z-${counter}`;
    const folder = join(outDir, runId);
    try {
      mkdirSync(folder);
      return { runId, folder };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unusable(error);
    }
  }
}

function makeOutFolder(folder: string): void {
  try {
    makeFolders(folder);
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(error: unknown): RunFolderError {
  const reason = error instanceof Error ? error.message : String(error);
  return new RunFolderError(`no folder can be made for the run: ${reason}`, { cause: error });
}
