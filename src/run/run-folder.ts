import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** Folder of one run: `OUT/2026-11-21T08-53-01Z`, with a counter when two runs start in the same second. Never an existing one. */
export function createRunFolder(outDir: string, startedAt: Date): { readonly runId: string; readonly folder: string } {
  mkdirSync(outDir, { recursive: true });
  const stamp = startedAt.toISOString().slice(0, 19).replaceAll(":", "-");
  for (let counter = 1; ; counter += 1) {
    const runId = counter === 1 ? `${stamp}Z` : `${stamp}Z-${counter}`;
    const folder = join(outDir, runId);
    try {
      mkdirSync(folder);
      return { runId, folder };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
