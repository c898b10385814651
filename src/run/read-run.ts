import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Exchange } from "../core/exchange.ts";
import { type EvidenceProblem, readEvidence } from "../evidence/evidence-reader.ts";
import type { RunRecord } from "./run-record.ts";

export interface SavedRun {
  readonly record: RunRecord;
  readonly exchanges: readonly Exchange[];
  /** What is wrong with the evidence although it can be read. */
  readonly problems: readonly EvidenceProblem[];
}

/** Reads a run folder; throws an Error that says which file is missing or unusable. */
export async function readRun(folder: string): Promise<SavedRun> {
  const file = join(folder, "run.json");
  if (!existsSync(file)) throw new Error(`${folder} is no run folder: it has no run.json`);
  const record = JSON.parse(readFileSync(file, "utf8")) as RunRecord;
  if (record.schemaVersion !== "1.0")
    throw new Error(`${file} is of version ${String(record.schemaVersion)}; this assay reads 1.0`);
  const evidenceFile = join(folder, "evidence.ndjson");
  if (!existsSync(evidenceFile)) return { record, exchanges: [], problems: [] };
  const { exchanges, problems } = await readEvidence(evidenceFile);
  return { record, exchanges, problems };
}
