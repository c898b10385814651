import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../core/result.ts";
import { exitCodes } from "../../core/verdict.ts";
import { compareResults } from "../../load/compare-results.ts";
import { renderCompareHtml } from "../../report/html/render-compare-html.ts";
import { createScreen } from "../../report/terminal/screen.ts";
import { renderCompareSummary } from "../../report/terminal/compare-summary.ts";
import { runAlternately } from "../../run/run-alternately.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { UsageError } from "../usage-error.ts";

export interface CompareFlags {
  readonly gate: boolean;
  readonly out?: string;
  readonly json: boolean;
  readonly profile: string;
  readonly rounds: number;
  readonly seed: number;
}

/**
 * Two saved runs, or two base URLs that are measured in turns. Without `--gate` the exit code only tells whether the comparison
 * could be made.
 */
export async function compareCommand(base: string, next: string, flags: CompareFlags): Promise<number> {
  const live = [base, next].map((text) => /^https?:\/\//.test(text));
  if (live[0] !== live[1]) throw new UsageError("a run and a URL cannot be compared", "give two run folders, or two base URLs");
  const compared =
    live[0] === true ? await measureBoth(base, next, flags) : compareResults(readSavedResult(base), readSavedResult(next));
  if (flags.out !== undefined) writeFileSync(flags.out, renderCompareHtml(compared));
  const screen = createScreen({ stream: process.stdout, env: process.env });
  const exitCode = !flags.gate && compared.exitCode === exitCodes.findings ? exitCodes.met : compared.exitCode;
  process.stdout.write(flags.json ? `${JSON.stringify(compared, null, 2)}\n` : renderCompareSummary(compared, screen, exitCode));
  return exitCode;
}

async function measureBoth(base: string, next: string, flags: CompareFlags): Promise<ReturnType<typeof compareResults>> {
  const interrupt = listenForInterrupt((text) => process.stderr.write(`${text}\n`));
  try {
    const { profile, rounds, seed } = flags;
    const results = await runAlternately({
      base,
      next,
      profile,
      rounds,
      seed,
      env: process.env,
      signal: interrupt.signal,
      say: (text) => process.stderr.write(`${text}\n`),
    });
    return compareResults(results.base, results.next, { design: "interleaved", seed });
  } finally {
    interrupt.release();
  }
}

function readSavedResult(path: string): Result {
  const file = path.endsWith(".json") ? path : join(path, "result.json");
  if (!existsSync(file))
    throw new UsageError(`there is no ${file}`, "give the folder of a run, its result.json, or two base URLs");
  try {
    const result = JSON.parse(readFileSync(file, "utf8")) as Result;
    if (result.schemaVersion !== "1.0") throw new Error(`its version is ${String(result.schemaVersion)}`);
    return result;
  } catch (error) {
    throw new UsageError(`${file} is no result of assay: ${error instanceof Error ? error.message : String(error)}`);
  }
}
