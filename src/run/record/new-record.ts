import { pickRunSettings, type RunSettings } from "../../core/result/run-header.ts";
import type { RedactedManifest } from "../../core/manifest.ts";
import type { Stage } from "../run-options.ts";
import { readToolVersion } from "../tool-version.ts";
import type { RunRecord } from "./run-record.ts";

/** The facts that every record has from its beginning. */
interface BegunRecord extends RunSettings, Pick<RunRecord, "runId" | "startedAt"> {
  readonly stages: readonly Stage[];
  readonly manifest: RedactedManifest;
}

/** The record of a run that has sent nothing, without its seal: what the run adds replaces the empty members. */
export function newRecord({ runId, startedAt, stages, manifest, ...rest }: BegunRecord): Omit<RunRecord, "seal"> {
  return {
    schemaVersion: "1.0",
    runId,
    ...pickRunSettings(rest),
    stages,
    suites: [],
    rows: null,
    expected: null,
    startedAt,
    durationMs: 0,
    interrupted: null,
    internalError: null,
    invalidBecause: [],
    tool: { name: "assay", version: readToolVersion(), node: process.version, platform: `${process.platform} ${process.arch}` },
    server: null,
    variants: [],
    mutants: [],
    manifest,
    untested: [],
    limitsNotJudged: [],
    spent: { requests: 0, promptTokens: 0, completionTokens: 0, estimatedUsd: 0 },
    health: { loopUtilization: null, loopDelayMaxMs: null, clockOffsetMs: null, transportRaces: 0 },
    notes: [],
    heads: { evidence: null, load: null },
    witness: [],
  };
}
