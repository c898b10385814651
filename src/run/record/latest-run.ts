import { lstatSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const latest = "latest";

/** Run ids, as `createRunFolder` makes them: nothing else is followed or replaced. */
const runIdForm = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-\d+)?$/;

/**
 * Lets `OUT/latest` name this run: a link, or a file that holds the run id where links cannot be made. A file there that is not
 * such a name stays as it is; the answer says so then, null otherwise.
 */
export function pointToLatest(outDir: string, runId: string): string | null {
  const place = join(outDir, latest);
  const before = kindOf(place);
  if (before === "other" || before === "directory") return `${place} is not a name of a run, so it was left as it is`;
  // Put in place in one step: two runs that begin together must not see half of it.
  const fresh = join(outDir, `.${latest}-${runId}`);
  try {
    try {
      symlinkSync(runId, fresh, "dir");
    } catch {
      writeFileSync(fresh, `${runId}\n`, { flag: "wx" });
    }
    renameSync(fresh, place);
    return null;
  } catch (error) {
    rmSync(fresh, { force: true });
    return `${place} could not be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The folder that a path names, where it ends in `latest`; null where that names no run beside it. Other paths stand for themselves. */
export function followLatest(path: string): string | null {
  if (basename(path) !== latest) return path;
  const kind = kindOf(path);
  if (kind === "none" || kind === "directory") return path;
  return kind === "other" ? null : join(dirname(path), kind.runId);
}

function kindOf(place: string): "none" | "directory" | "other" | { readonly runId: string } {
  try {
    const stat = lstatSync(place);
    if (stat.isDirectory()) return "directory";
    const name = stat.isSymbolicLink()
      ? readlinkSync(place)
      : stat.isFile() && stat.size < 100
        ? readFileSync(place, "utf8").trim()
        : "";
    return runIdForm.test(name) ? { runId: name } : "other";
  } catch {
    return "none";
  }
}
