import { readdirSync } from "node:fs";
import { join } from "node:path";

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
