import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders that tests and their children make lie in one folder of the run, which is removed after it. Returns the teardown. */
export default function openTemporaryFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "assay-tests-"));
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
