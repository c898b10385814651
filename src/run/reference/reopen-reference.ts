import { type ReferenceProcess, startReferenceProcess } from "./reference-process.ts";
import type { RunRecord } from "../record/run-record.ts";

/**
 * Starts the embedded reference service anew as a saved run had it: same seed, hence the same keys and content, and the same
 * variants and mutants. null when the run measured another target.
 */
export async function reopenReference({ server, seed, command }: RunRecord): Promise<ReferenceProcess | null> {
  if (server === null) return null;
  const [variants, mutants] = ["--variant", "--mutant"].map((flag) => valuesOf(flag, command));
  return startReferenceProcess({ latency: "instant", seed, variants: variants ?? [], mutants: mutants ?? [] });
}

/** Values of a repeatable flag in a command line, written as `--flag value` or `--flag=value`. */
function valuesOf(flag: string, command: readonly string[]): readonly string[] {
  return command.flatMap((word, index) => {
    if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
    const value = word === flag ? command[index + 1] : undefined;
    return value === undefined ? [] : [value];
  });
}
