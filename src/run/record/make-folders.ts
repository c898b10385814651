import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** A folder with those above it. Node's own `recursive` never returns where nothing can be made, as below /proc. */
export function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolders(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another run may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
