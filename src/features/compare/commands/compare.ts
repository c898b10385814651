import { writeFileSync } from "node:fs";
import type { ComparedCurve, CompareResult } from "../../../core/result/compare-result.ts";
import { exitCodes } from "../../../core/result/verdict.ts";
import { compareResults } from "../runs/compare-results.ts";
import { loadProfile } from "../../../load/plan/read-profile.ts";
import { renderCompareHtml } from "../report/render-compare-html.ts";
import { renderCompareSummary } from "../report/compare-summary.ts";
import { measureInTurns } from "../live/measure-in-turns.ts";
import { compareToolsCommand } from "./compare-tools.ts";
import { readOverlay, runCurves } from "../curves/read-overlay.ts";
import { measureInstrument } from "../../../run/stages/measure-instrument.ts";
import { listenForInterrupt } from "../../../command/interrupt.ts";
import { useSavedResults } from "../../../command/read-saved-result.ts";
import { withWorkers } from "../../../command/with-workers.ts";
import { UsageError } from "../../../command/usage-error.ts";
import { output } from "../../../report/terminal/output.ts";

export interface CompareFlags {
  readonly gate: boolean;
  readonly out?: string;
  /** Files of further runs, whose points are laid over the curves of the two. */
  readonly overlay: readonly string[];
  readonly json: boolean;
  readonly profile: string;
  readonly rounds: number;
  readonly seed: number;
  readonly workers?: number | "auto";
}

/**
 * Two saved runs, or two base URLs that are measured in turns. Without `--gate` the exit code only says whether the comparison
 * could be made.
 */
export async function compareCommand(base: string, next: string, flags: CompareFlags): Promise<number> {
  const live = [base, next].map((text) => /^https?:\/\//.test(text));
  if (live[0] !== live[1]) throw new UsageError("a run and a URL cannot be compared", "give two run folders, or two base URLs");
  if (live[0] === true && flags.overlay.length > 0) throw new UsageError("--overlay lays points over two saved runs");
  if (live[0] === true) return measureBoth(base, next, flags);
  const ofTools = compareToolsCommand(base, next, flags);
  if (ofTools !== null) return ofTools;
  const overlays = flags.overlay.flatMap(readOverlay);
  return useSavedResults([base, next], ([left, right]) => {
    const compared = compareResults(left!, right!);
    return show(
      {
        ...compared,
        ...withCurves([...runCurves("base", left!.load?.profiles), ...runCurves("next", right!.load?.profiles), ...overlays]),
      },
      flags,
      null,
    );
  });
}

async function measureBoth(base: string, next: string, flags: CompareFlags): Promise<number> {
  const { rounds, seed } = flags;
  if (rounds < 1) throw new UsageError("--rounds is at least 1");
  const { say } = output;
  const interrupt = listenForInterrupt(say);
  try {
    const profile = withWorkers(loadProfile(flags.profile), flags.workers);
    const results = await measureInTurns({
      base,
      next,
      profile,
      rounds,
      seed,
      env: process.env,
      signal: interrupt.signal,
      say,
      calibrate: (mostTries) =>
        measureInstrument({ seed, signal: interrupt.signal, ...(mostTries !== undefined && { mostTries }) }),
    });
    const signal = interrupt.received();
    if ("refusal" in results) {
      say(`assay: nothing can be compared: ${results.refusal}`);
      return signal === null ? exitCodes.invalid : codeOf(signal);
    }
    const compared = compareResults(results.base, results.next, { design: "interleaved", seed });
    return show(compared, flags, signal);
  } finally {
    interrupt.release();
  }
}

/** Prints and writes the comparison; an interrupt outranks what the rounds before it say. */
function show(compared: CompareResult, flags: CompareFlags, signal: "SIGINT" | "SIGTERM" | null): number {
  const isGated = compared.verdict === "worse" || compared.verdict === "judges less";
  const judged = !flags.gate && isGated ? exitCodes.met : compared.exitCode;
  const exitCode = signal === null ? judged : codeOf(signal);
  if (flags.out !== undefined) writeFileSync(flags.out, renderCompareHtml(compared, exitCode));
  const screen = output.screen("stdout");
  if (flags.json) output.printJson(compared);
  else output.printRendered(renderCompareSummary(compared, screen, exitCode));
  return exitCode;
}

function withCurves(curves: readonly ComparedCurve[]): Pick<CompareResult, "curves"> {
  return curves.length === 0 ? {} : { curves };
}

function codeOf(signal: "SIGINT" | "SIGTERM"): number {
  return signal === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
}
