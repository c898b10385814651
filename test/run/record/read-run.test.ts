import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { visibleJson } from "../../../src/core/exchange/bodies/visible-json.ts";
import { readRun, type SavedRun } from "../../../src/run/record/read-run.ts";
import type { RunRecord } from "../../../src/run/record/run-record.ts";
import { makeRunRecord } from "../../make/results/make-run-record.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

const { result } = buildSample();
const record = makeRunRecord({
  runId: result.runId,
  command: result.command,
  seed: result.seed,
  strict: result.strict,
  stages: ["conformance", "load"],
  startedAt: result.startedAt,
  durationMs: result.durationMs,
  tool: result.tool,
  spent: { ...result.spent, requests: 0 },
  health: result.health,
});

async function open(content: unknown): Promise<SavedRun> {
  const folder = mkdtempSync(join(tmpdir(), "assay-run-"));
  writeFileSync(join(folder, "run.json"), typeof content === "string" ? content : `${visibleJson(content, 1)}\n`);
  return readRun(folder);
}

async function read(content: unknown): Promise<RunRecord> {
  return (await open(content)).record;
}

describe("a run folder", () => {
  it("is read as it was written", async () => {
    expect(await read(record)).toEqual(JSON.parse(JSON.stringify(record)));
    expect((await open(record)).problems).toEqual([]);
  });

  it("says what is wrong where another version of assay recorded it", async () => {
    const { heads: _heads, ...older } = record;
    await expect(read(older)).rejects.toThrow(
      /run\.json was recorded by another version of assay \(.*\) or changed since: it lacks "heads"; .*use the assay that recorded it/,
    );
    await expect(read({ ...record, spent: { ...record.spent, requests: "7" } })).rejects.toThrow(
      /\/spent\/requests.*use the assay/,
    );
    await expect(read({ ...record, later: 1 })).rejects.toThrow('"later" is not known');
    await expect(read({ ...record, notes: "none" })).rejects.toThrow('"notes" is no array');
    await expect(read({ ...record, manifest: { target: {} } })).rejects.toThrow("/manifest must have required property 'keys'");
    await expect(read({ ...record, schemaVersion: undefined })).rejects.toThrow('lacks "schemaVersion"');
    await expect(read({ ...record, schemaVersion: "9.0" })).rejects.toThrow('it is of version "9.0"');
    await expect(read([])).rejects.toThrow("no JSON object");
  });

  it("says so where a number of run.json was changed", async () => {
    const { problems } = await open({ ...record, durationMs: record.durationMs + 1 });
    expect(problems).toEqual(["run.json was changed after the run: its seal does not match"]);
  });

  it("says so where run.json was cut, and where the evidence is gone", async () => {
    await expect(read(JSON.stringify(record).slice(0, 100))).rejects.toThrow("is not JSON: it was cut or changed");
    await expect(read({ ...record, spent: { ...record.spent, requests: 7 } })).rejects.toThrow("has no evidence.ndjson");
  });
});
