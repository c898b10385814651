import { tolerancesFor } from "../history/tolerances.ts";
import { longestExamMinutes } from "./longest-exam-minutes.ts";
import { planLimits, type LimitsPlan } from "./plan-limits.ts";
import { createProbeTools, ProbeNotSentError, type ProbeOptions } from "../probe/probe-tools.ts";

export interface LimitsRun {
  readonly plan: LimitsPlan;
  /** Why a schedule ended early, null when all were completed. */
  readonly stopped: string | null;
  /** The parts that the manifest or the target did not let it judge. */
  readonly notJudged: LimitsPlan["notJudged"];
}

/** Sends the probe schedules; judges nothing. An abort of the signal ends it after settings were put back. */
export async function runLimits(options: ProbeOptions, planned?: LimitsPlan): Promise<LimitsRun> {
  const plan = planned ?? (await planLimits(options.manifest, options.exam, { signal: options.signal }));
  const phases = plan.exams.reduce((total, exam) => total + exam.phases, 0);
  const longestMinutes = longestExamMinutes(plan, options.manifest);
  const { windowMs } = tolerancesFor(options.manifest);
  const tools = createProbeTools(options, { windowMs, phases, longestMinutes });
  options.onProgress({
    kind: "stage-started",
    stage: "limits",
    title: `${options.exam} exam`,
    plannedRequests: plan.requests,
    // On a virtual clock the waits of the plan take no time.
    etaMs: options.manifest.control === null ? plan.minutes * 60_000 : null,
  });
  if (longestMinutes !== null) {
    options.onProgress({ kind: "note", text: `limits: at most ${longestMinutes} min, whatever the target does` });
  }
  let stopped: string | null = null;
  for (const group of plan.groups) {
    const outcomes = await Promise.allSettled(group.map((exam) => exam.run(tools, exam)));
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      const error: unknown = outcome.reason;
      if (!options.signal.aborted && !(error instanceof ProbeNotSentError)) throw error;
      stopped ??= options.signal.aborted ? "interrupted" : (error as Error).message;
    }
    if (stopped !== null) break;
  }
  options.onProgress({ kind: "stage-finished", stage: "limits", summary: `${tools.sent.length} requests sent` });
  // The reason that a schedule met says more than that of the plan.
  const known = new Set([...tools.askedAfterAll, ...tools.unreached.map(({ policy }) => policy)]);
  const unplanned = plan.notJudged.filter(({ policy }) => !known.has(policy));
  return { plan, stopped, notJudged: [...unplanned, ...tools.unreached] };
}
