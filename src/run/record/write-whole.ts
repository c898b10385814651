import { renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Writes the whole text or nothing: on a disk that is full, what was there before stays, and no part of a file stands for the
 * whole. A link under this name is replaced, not followed: a run folder may come from a stranger.
 */
export function writeWhole(file: string, text: string): void {
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  try {
    writeFileSync(fresh, text, { flag: "wx" });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
