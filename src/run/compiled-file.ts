import { existsSync } from "node:fs";
import { packageFolder } from "../schemas/package-folder.ts";

/** An installed package has its package.json above `dist/`. */
const isSource = existsSync(new URL("package.json", packageFolder));

/**
 * A file of this build by its path below `src/`, for what starts in a thread or process of its own: from the source tree, where
 * tests run, the file that was built last.
 */
export function compiledFile(path: string): URL {
  return new URL(isSource ? `dist/src/${path}` : `src/${path}`, packageFolder);
}
