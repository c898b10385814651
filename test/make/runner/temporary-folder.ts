import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders that tests and their children make lie in one folder of the run, which is removed after it. */
export function setup(): void {
  process.env["TMPDIR"] = mkdtempSync(join(tmpdir(), "assay-tests-"));
}

export function teardown(): void {
  rmSync(tmpdir(), { recursive: true, force: true });
}
