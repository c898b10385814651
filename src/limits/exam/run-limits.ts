import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import { runBurstExam } from "../burst/burst-exam.ts";
import { chooseExamKeys } from "./exam-keys.ts";
import { tolerancesFor } from "./judge-limits.ts";
import { planLimits, type LimitsPlan, type PlannedExam } from "./plan-limits.ts";
import { createProbeTools, ProbeNotSentError, type ProbeOptions, type ProbeTools } from "./probe-tools.ts";
import { runTokenExam } from "../tokens/token-exam.ts";
import { runSpendExam } from "../spend/spend-exam.ts";
import { runRequestExam } from "../requests/request-exam.ts";

export interface LimitsRun {
  readonly plan: LimitsPlan;
  /** Everything that was sent, in order of sending. */
  readonly exchanges: readonly Exchange[];
  /** Why a schedule ended early, null when all were completed. */
  readonly stopped: string | null;
}

/** Sends the probe schedules; judges nothing. An abort of the signal ends it after settings were put back. */
export async function runLimits(options: ProbeOptions): Promise<LimitsRun> {
  const plan = planLimits(options.manifest, options.exam);
  const phases = plan.exams.reduce((total, exam) => total + exam.phases, 0);
  const tools = createProbeTools(options, tolerancesFor(options.manifest).windowMs, phases);
  options.onProgress({
    kind: "stage-started",
    stage: "limits",
    title: `limits, ${options.exam} exam`,
    plannedRequests: plan.requests,
    etaMs: plan.minutes * 60_000,
  });
  let stopped: string | null = null;
  for (const group of scheduleExams(plan, options.manifest)) {
    const outcomes = await Promise.allSettled(group.map((exam) => runExam(exam.id, tools)));
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      const error: unknown = outcome.reason;
      if (!options.signal.aborted && !(error instanceof ProbeNotSentError)) throw error;
      stopped ??= options.signal.aborted ? "interrupted" : (error as Error).message;
    }
    if (stopped !== null) break;
  }
  options.onProgress({ kind: "stage-finished", stage: "limits", summary: `${tools.sent.length} requests sent` });
  return { plan, exchanges: tools.sent, stopped };
}

/**
 * Which exams go side by side. In real time they mostly wait, so those with a key of their own share the wait; the exam of
 * spend caps comes last and alone, because the account's cap refuses every key. A virtual clock has one hand: one by one.
 */
export function scheduleExams(plan: LimitsPlan, manifest: Manifest): readonly (readonly PlannedExam[])[] {
  const keys = chooseExamKeys(manifest);
  const keyOf: Readonly<Record<string, string | null>> = {
    requests: keys.requests,
    tokens: keys.tokens,
    burst: keys.burst,
    "burst-queue": keys.burstQueue,
    spend: keys.spend,
  };
  const used = new Set<string | null>();
  const together: PlannedExam[] = [];
  const alone: PlannedExam[] = [];
  for (const exam of plan.exams) {
    const key = keyOf[exam.id] ?? null;
    const apart = manifest.control !== null || exam.id === "spend" || used.has(key);
    used.add(key);
    (apart ? alone : together).push(exam);
  }
  return [...(together.length > 0 ? [together] : []), ...alone.map((exam) => [exam])];
}

async function runExam(id: string, tools: ProbeTools): Promise<void> {
  const { manifest, clock, exam } = tools;
  const keys = chooseExamKeys(manifest);
  const dayMs = 86_400_000;
  const to = Math.floor(clock.wallMs() / dayMs) * dayMs;
  const usage = { endpoint: "usage", path: `/v1/usage?from=${isoSeconds(to - dayMs)}&to=${isoSeconds(to)}` } as const;
  const thorough = exam === "full" || manifest.control !== null;
  switch (id) {
    case "requests":
      return runRequestExam(tools, {
        key: keys.requests!,
        endpoint: "models",
        otherKey: keys.requestsTwin,
        otherEndpoint: usage,
        exhaust: manifest.permissions.exhaustLimits,
      });
    case "burst":
      return runBurstExam(tools, { key: keys.burst!, otherKey: keys.burstTwin, other: usage, thorough });
    case "burst-queue":
      return runBurstExam(tools, { key: keys.burstQueue!, otherKey: null, other: usage, thorough: false });
    case "tokens":
      return runTokenExam(tools, { key: keys.tokens!, exhaust: manifest.permissions.exhaustLimits });
    case "spend":
      return runSpendExam(tools, { key: keys.spend!, twin: keys.spendTwin, virtual: manifest.control !== null });
    default:
      throw new Error(`no exam is called ${id}`);
  }
}

function isoSeconds(unixMs: number): string {
  return encodeURIComponent(new Date(unixMs).toISOString().replace(/\.\d+Z$/, "Z"));
}
