import { join } from "node:path";
import { completeManifest } from "../config/complete-manifest.ts";
import { redactManifest } from "../config/redact-manifest.ts";
import type { Manifest } from "../core/manifest.ts";
import type { LoadResult } from "../core/result/load-result.ts";
import { createEvidenceWriter } from "../evidence/evidence-writer.ts";
import type { NotJudged } from "../limits/probe/not-judged.ts";
import { createRedactor } from "../wire/redaction/redaction.ts";
import { pointToLatest } from "./record/latest-run.ts";
import { createLedgerFile } from "./record/ledger-file.ts";
import { createRunFolder } from "./record/run-folder.ts";
import type { RunOptions } from "./run-options.ts";
import { RunSession } from "./run-session.ts";
import { specification } from "./specification.ts";
import type { ConformanceStage } from "./stages/conformance-stage.ts";
import { readToolVersion } from "./tool-version.ts";

/** Stands in when the run ended before there was a target. */
export const noManifest: Manifest = completeManifest({ target: { name: "none", baseUrl: "http://127.0.0.1" } });

/** The results of the stages, as far as they got. */
interface StageResults {
  manifest: Manifest | null;
  server: string | null;
  conformance: ConformanceStage | null;
  limitsNotJudged: readonly NotJudged[];
  load: LoadResult | null;
  internalError: string | null;
}

/** A run that has a folder, and no reports yet. */
export interface OpenRun {
  readonly runId: string;
  readonly folder: string;
  readonly startedAt: Date;
  readonly session: RunSession;
  readonly results: StageResults;
}

/** Makes the folder of the run, and a session that writes into it. */
export function openRun(options: RunOptions): OpenRun {
  const startedAt = new Date();
  const { runId, folder } = createRunFolder(options.outDir, startedAt);
  const unnamed = pointToLatest(options.outDir, runId);
  if (unnamed !== null) options.onProgress({ kind: "note", text: unnamed });
  const results: StageResults = {
    manifest: options.manifest,
    server: null,
    conformance: null,
    limitsNotJudged: [],
    load: null,
    internalError: null,
  };
  const header = { kind: "header", schemaVersion: "1.0", runId, tool: { name: "assay", version: readToolVersion() } } as const;
  const session = new RunSession(options, {
    openEvidence: (manifest) =>
      createEvidenceWriter(join(folder, "evidence.ndjson"), {
        ...header,
        specSha256: specification.sha256,
        startedAt: startedAt.toISOString(),
        seed: options.seed,
        strict: options.strict,
        command: options.command,
        manifest: redactManifest(manifest),
      }),
    openLedger: () => createLedgerFile(join(folder, "load.ndjson"), { header, mask: maskOf(results) }),
  });
  return { runId, folder, startedAt, session, results };
}

/** Hides the secrets of the target, as far as one is known by now. */
export function maskOf({ manifest }: StageResults): (text: string) => string {
  return createRedactor(manifest ?? noManifest).maskDeep;
}
