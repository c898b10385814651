import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createRunFolder, RunFolderError } from "../../../src/run/record/run-folder.ts";

it("never gives the folder of another run, also for runs that start in the same second", () => {
  const out = join(mkdtempSync(join(tmpdir(), "assay-folder-")), "reports");
  const startedAt = new Date("2026-11-21T08:00:00.900Z");
  const ids = [1, 2, 3].map(() => createRunFolder(out, startedAt).runId);
  expect(ids).toEqual(["2026-11-21T08-00-00Z", "2026-11-21T08-00-00Z-2", "2026-11-21T08-00-00Z-3"]);
  expect(readdirSync(out).toSorted()).toEqual(ids.toSorted());
});

it("distinguishes a folder that cannot be used from a fault of assay", () => {
  const file = join(mkdtempSync(join(tmpdir(), "assay-folder-")), "reports");
  writeFileSync(file, "");
  expect(() => createRunFolder(file, new Date())).toThrow(RunFolderError);
  expect(() => createRunFolder(join(file, "deeper"), new Date())).toThrow(RunFolderError);
});
