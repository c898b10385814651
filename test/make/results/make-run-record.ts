import { sealRecord } from "../../../src/run/record/seal-record.ts";
import type { RunRecord } from "../../../src/run/record/run-record.ts";
import { redactManifest } from "../../../src/config/redact-manifest.ts";
import { testManifest } from "../test-manifest.ts";

/** run.json of a run that sent nothing, with whatever a test needs otherwise. */
export function makeRunRecord(changes: Partial<Omit<RunRecord, "seal">> = {}): RunRecord {
  return sealRecord({
    schemaVersion: "1.0",
    runId: "2026-11-21T09-30-00Z",
    command: ["assay", "run"],
    seed: 1,
    strict: false,
    stages: ["conformance"],
    suites: ["core"],
    rows: null,
    expected: null,
    startedAt: "2026-11-21T09:30:00.000Z",
    durationMs: 1000,
    interrupted: null,
    internalError: null,
    invalidBecause: [],
    tool: { name: "assay", version: "0.1.0", node: "v20.19.0", platform: "linux x64" },
    server: null,
    variants: [],
    mutants: [],
    manifest: redactManifest(testManifest("http://127.0.0.1:1")),
    untested: [],
    limitsNotJudged: [],
    spent: { requests: 0, promptTokens: 0, completionTokens: 0, estimatedUsd: 0 },
    health: { loopUtilization: null, loopDelayMaxMs: null, clockOffsetMs: null, transportRaces: 0 },
    notes: [],
    heads: { evidence: null, load: null },
    witness: [],
    ...changes,
  });
}
