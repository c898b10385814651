import { readFileSync } from "node:fs";

/** How many files and sockets this process may open; null where the system does not say. */
export function readOpenFiles(): number | null {
  try {
    const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
    return Number.isNaN(limit) ? null : limit;
  } catch {
    // Not Linux.
    return null;
  }
}
