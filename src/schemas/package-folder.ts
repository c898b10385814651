import { existsSync } from "node:fs";

/**
 * Folder that holds `src/`, `suites/` and `schemas/`: of the source tree, or `dist/`, where the build puts several sources into one
 * file, so that no path relative to a source holds in both.
 */
export const packageFolder: URL = findUpwards(new URL("./", import.meta.url));

function findUpwards(folder: URL): URL {
  const above = new URL("../", folder);
  if (existsSync(new URL("suites/profiles/", folder)) || above.href === folder.href) return folder;
  return findUpwards(above);
}
