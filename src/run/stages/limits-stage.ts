import { createRandom } from "../../core/random.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";
import { type LimitsPlan, planLimits } from "../../limits/exam/plan-limits.ts";
import { runLimits } from "../../limits/exam/run-limits.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OpenTarget } from "../open-target.ts";
import type { RunOptions } from "../run-options.ts";
import type { RunSession } from "../run-session.ts";

/** Drives the limits of the target; says what could not be judged and for lack of what. */
export async function runLimitsStage(
  session: RunSession,
  target: OpenTarget,
  plan: LimitsPlan,
): Promise<LimitsResult["notJudged"]> {
  const { options } = session;
  const { clock } = target;
  const manifest = withEndpoint(target.manifest, options);
  const wire = session.openWire(manifest, clock);
  try {
    const probes = {
      manifest,
      sender: wire,
      clock,
      random: createRandom(options.seed).fork("limits"),
      exam: chooseExam(options, manifest),
      onProgress: options.onProgress,
      signal: options.signal,
      journal: session.journal,
    };
    const run = await runLimits(probes, plan);
    if (run.stopped !== null && !options.signal.aborted) session.notes.push(`limits: ${run.stopped}`);
    return run.notJudged;
  } finally {
    await wire.close();
  }
}

/** What the stage would do; a dry run of seconds where the exam is the full one. */
export async function planLimitsStage(options: RunOptions, manifest: Manifest): Promise<LimitsPlan> {
  return planLimits(withEndpoint(manifest, options), chooseExam(options, manifest));
}

/** The endpoint that was asked for on the command line, in place of the declared one. */
function withEndpoint(manifest: Manifest, { endpoint }: Pick<RunOptions, "endpoint">): Manifest {
  return endpoint === undefined ? manifest : { ...manifest, limits: { ...manifest.limits, endpoint } };
}

/** Long schedules cost nothing where the clock is virtual. */
export function chooseExam({ exam }: Pick<RunOptions, "exam">, manifest: Manifest): "short" | "full" {
  return exam ?? (manifest.control === null ? "short" : "full");
}
