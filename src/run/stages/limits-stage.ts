import { createRandom } from "../../core/random.ts";
import type { NotJudged } from "../../limits/probe/not-judged.ts";
import type { Clock } from "../../core/clock.ts";
import type { Sender } from "../../core/exchange/send-request.ts";
import { askLimiter, describeSeen, type SeenLimiter } from "../../limits/exam/ask-limiter.ts";
import { type LimitsPlan, planLimits } from "../../limits/exam/plan-limits.ts";
import { runLimits } from "../../limits/exam/run-limits.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OpenTarget } from "../open-target.ts";
import { conformancePart } from "./conformance-part.ts";
import { selectStages } from "./select-stages.ts";
import type { RunOptions } from "../run-options.ts";
import type { RunSession } from "../run-session.ts";

/** Drives the limits of the target; says what could not be judged and for lack of what. */
export async function runLimitsStage(session: RunSession, target: OpenTarget, plan: LimitsPlan): Promise<readonly NotJudged[]> {
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

/**
 * The plan of the stage; a dry run of seconds if the exam is the full one. `seen`: the facts that answers of the target show. The exams do not
 * have the time of the stage before them.
 */
export async function planLimitsStage(
  options: RunOptions,
  manifest: Manifest,
  seen: SeenLimiter | null = null,
): Promise<LimitsPlan> {
  const minutesBefore = (conformancePart(options, manifest)?.etaMs ?? 0) / 60_000;
  const wishes = { seen, stages: selectStages(options), minutesBefore, signal: options.signal };
  return planLimits(withEndpoint(manifest, options), chooseExam(options, manifest), wishes);
}

/** The limiter as the target shows it, if waits are real and the manifest does not say how it counts; null: not known. */
export async function seeLimiter(
  options: RunOptions,
  manifest: Manifest,
  { sender, clock }: { readonly sender: Sender; readonly clock: Clock },
): Promise<SeenLimiter | null> {
  if (manifest.control !== null) return null;
  return askLimiter(withEndpoint(manifest, options), { sender, clock, signal: options.signal });
}

/** The plan of a run, by what the target shows of its limiter; the embedded service is known. */
export async function planByAnswers(session: RunSession, { manifest, clock, server }: OpenTarget): Promise<LimitsPlan> {
  const { options } = session;
  if (server !== null) return planLimitsStage(options, manifest);
  const wire = session.openWire(manifest, clock);
  try {
    const seen = await seeLimiter(options, manifest, { sender: wire, clock });
    if (seen !== null) options.onProgress({ kind: "note", text: `limits: planned for ${describeSeen(seen)}` });
    return await planLimitsStage(options, manifest, seen);
  } finally {
    await wire.close();
  }
}

/** The endpoint that was asked for on the command line, in place of the declared one. */
function withEndpoint(manifest: Manifest, { endpoint }: Pick<RunOptions, "endpoint">): Manifest {
  return endpoint === undefined ? manifest : { ...manifest, limits: { ...manifest.limits, endpoint } };
}

/** Long schedules cost nothing where the clock is virtual. */
export function chooseExam({ exam }: Pick<RunOptions, "exam">, manifest: Manifest): "short" | "full" {
  return exam ?? (manifest.control === null ? "short" : "full");
}
