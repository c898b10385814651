import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { isJsonObject } from "../../core/exchange/recorded-json.ts";
import { type EvidenceProblem, readEvidence } from "../../evidence/evidence-reader.ts";
import { checkRecord } from "./check-record.ts";
import type { RunRecord } from "./run-record.ts";
import { readToolVersion } from "../tool-version.ts";

export interface SavedRun {
  readonly record: RunRecord;
  readonly exchanges: readonly Exchange[];
  /** What is wrong with the evidence although it can be read. */
  readonly problems: readonly EvidenceProblem[];
}

/** Reads a run folder; throws an Error that says which file is missing or unusable, and what to do about it. */
export async function readRun(folder: string): Promise<SavedRun> {
  const file = join(folder, "run.json");
  if (!existsSync(file)) throw new Error(`${folder} is no run folder: it has no run.json`);
  const content = parse(readFileSync(file, "utf8"));
  if (content === undefined) throw new Error(`${file} is not JSON: it was cut or changed`);
  const checked = checkRecord(content);
  if ("problem" in checked) {
    throw new Error(
      `${file} was recorded by another version of assay${versionOf(content)} or changed since: ${checked.problem}; ` +
        `this is ${readToolVersion()}: use the assay that recorded it, or run again`,
    );
  }
  const { record } = checked;
  const evidenceFile = join(folder, "evidence.ndjson");
  if (!existsSync(evidenceFile)) {
    // A run that ended before it had a target sent nothing.
    if (record.spent.requests === 0) return { record, exchanges: [], problems: [] };
    throw new Error(
      `${folder} has no evidence.ndjson, and the run sent ${record.spent.requests} requests: nothing can be judged`,
    );
  }
  const { exchanges, problems } = await readEvidence(evidenceFile);
  return { record, exchanges, problems };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function versionOf(content: unknown): string {
  const tool = isJsonObject(content) ? content["tool"] : null;
  const version = isJsonObject(tool) ? tool["version"] : null;
  return typeof version === "string" ? ` (${version})` : "";
}
