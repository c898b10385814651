import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | null = null;

/** Folders that tests and their children make lie in one folder of the run, which is removed after it. */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), "assay-tests-"));
  process.env["TMPDIR"] = folder;
}

export function teardown(): void {
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
}
