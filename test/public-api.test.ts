import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { executeRun, judgeRun, readRun, startReferenceService } from "../src/index.ts";

it("runs, saves and judges again from a program", async () => {
  const service = await startReferenceService({ seed: 3 });
  try {
    const outDir = mkdtempSync(join(tmpdir(), "assay-api-"));
    const { result, folder, reports } = await executeRun({
      stages: ["conformance"],
      manifest: service.manifest,
      variants: [],
      mutants: [],
      suites: ["models"],
      cases: [],
      profiles: [],
      exam: "short",
      outDir,
      seed: 3,
      strict: true,
      reporters: [],
      command: ["program"],
      signal: new AbortController().signal,
      interruptedBy: () => null,
      onProgress: () => {},
    });
    expect({ verdict: result.verdict, findings: result.findings, exitCode: result.exitCode }).toEqual({
      verdict: "met",
      findings: [],
      exitCode: 0,
    });
    expect(reports.map((report) => report.problem)).toEqual([null, null, null]);
    const saved = await readRun(folder);
    expect(saved.problems).toEqual([]);
    expect(judgeRun(saved.record, saved.exchanges)).toEqual(result);
  } finally {
    await service.close();
  }
});
