import { type ReferenceProcess, startReferenceProcess } from "./reference-process.ts";
import type { RunRecord } from "../record/run-record.ts";

/**
 * Starts the embedded reference service anew as a saved run had it: same seed, hence the same keys and content, and the same
 * variants and mutants. null when the run measured another target.
 */
export async function reopenReference({ server, seed, variants, mutants }: RunRecord): Promise<ReferenceProcess | null> {
  return server === null ? null : startReferenceProcess({ latency: "instant", seed, variants, mutants });
}
