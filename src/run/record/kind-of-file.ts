import { lstatSync } from "node:fs";

/**
 * A run folder may come from a stranger: a link would lead out of it, and a pipe or a device has no end. Only what is a file of its
 * own is read.
 */
export function kindOfFile(path: string): "file" | "none" | "other" {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "none" : stat.isFile() ? "file" : "other";
}
