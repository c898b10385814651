import { createRandom } from "../../core/random.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";
import { runLimits } from "../../limits/exam/run-limits.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OpenTarget } from "../open-target.ts";
import type { RunOptions } from "../run-options.ts";
import type { RunSession } from "../run-session.ts";

/** Drives the limits of the target; says what could not be judged and for lack of what. */
export async function runLimitsStage(session: RunSession, target: OpenTarget): Promise<LimitsResult["notJudged"]> {
  const { options } = session;
  const { clock } = target;
  const manifest = withEndpoint(target.manifest, options);
  const wire = session.openWire(manifest, clock);
  try {
    const run = await runLimits({
      manifest,
      sender: wire,
      clock,
      random: createRandom(options.seed).fork("limits"),
      exam: chooseExam(options, manifest),
      onProgress: options.onProgress,
      signal: options.signal,
      journal: session.journal,
    });
    if (run.stopped !== null && !options.signal.aborted) session.notes.push(`limits: ${run.stopped}`);
    return run.notJudged;
  } finally {
    await wire.close();
  }
}

/** The endpoint that was asked for on the command line, in place of the declared one. */
export function withEndpoint(manifest: Manifest, { endpoint }: Pick<RunOptions, "endpoint">): Manifest {
  return endpoint === undefined ? manifest : { ...manifest, limits: { ...manifest.limits, endpoint } };
}

/** Long schedules cost nothing where the clock is virtual. */
export function chooseExam({ exam }: Pick<RunOptions, "exam">, manifest: Manifest): "short" | "full" {
  return exam ?? (manifest.control === null ? "short" : "full");
}
