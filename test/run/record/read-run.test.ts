import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { completeManifest } from "../../../src/config/complete-manifest.ts";
import { redactManifest } from "../../../src/config/redact-manifest.ts";
import { readRun } from "../../../src/run/record/read-run.ts";
import type { RunRecord } from "../../../src/run/record/run-record.ts";
import { buildSample } from "../../report/sample-result.ts";

let record: RunRecord;
beforeAll(() => {
  const { result } = buildSample();
  record = {
    schemaVersion: "1.0",
    runId: result.runId,
    command: result.command,
    seed: result.seed,
    strict: result.strict,
    stages: ["conformance", "load"],
    suites: [],
    startedAt: result.startedAt,
    durationMs: result.durationMs,
    interrupted: null,
    internalError: null,
    invalidBecause: [],
    tool: result.tool,
    server: null,
    variants: [],
    mutants: [],
    manifest: redactManifest(completeManifest({ target: { baseUrl: "http://127.0.0.1:1" } })),
    untested: [],
    limitsNotJudged: [],
    spent: { ...result.spent, requests: 0 },
    health: result.health,
    load: result.load,
    loadFindings: [],
    passive: result.passive,
    notes: [],
  };
});

async function read(content: unknown): Promise<RunRecord> {
  const folder = mkdtempSync(join(tmpdir(), "assay-run-"));
  writeFileSync(join(folder, "run.json"), typeof content === "string" ? content : JSON.stringify(content));
  return (await readRun(folder)).record;
}

describe("a run folder", () => {
  it("is read as it was written", async () => {
    expect(await read(record)).toEqual(JSON.parse(JSON.stringify(record)));
    expect(await read({ ...record, load: null })).toMatchObject({ load: null });
  });

  it("says what is wrong where another version of assay recorded it", async () => {
    const { passive: _passive, ...older } = record;
    await expect(read(older)).rejects.toThrow(
      /run\.json was recorded by another version of assay \(.*\) or changed since: it lacks "passive"; .*use the assay that recorded it/,
    );
    const [profile] = record.load?.profiles ?? [];
    const { validity: _validity, ...olderProfile } = profile!;
    await expect(read({ ...record, load: { ...record.load, profiles: [olderProfile] } })).rejects.toThrow(
      /\/load\/profiles\/0.*validity.*use the assay/,
    );
    await expect(read({ ...record, later: 1 })).rejects.toThrow('"later" is not known');
    await expect(read({ ...record, notes: "none" })).rejects.toThrow('"notes" is no array');
    await expect(read({ ...record, manifest: { target: {} } })).rejects.toThrow("its manifest lacks");
    await expect(read({ ...record, schemaVersion: undefined })).rejects.toThrow('lacks "schemaVersion"');
    await expect(read({ ...record, schemaVersion: "9.0" })).rejects.toThrow('it is of version "9.0"');
    await expect(read([])).rejects.toThrow("no JSON object");
  });

  it("says so where run.json was cut, and where the evidence is gone", async () => {
    await expect(read(JSON.stringify(record).slice(0, 100))).rejects.toThrow("is not JSON: it was cut or changed");
    await expect(read({ ...record, spent: { ...record.spent, requests: 7 } })).rejects.toThrow("has no evidence.ndjson");
  });
});
