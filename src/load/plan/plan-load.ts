import { declaredLimit } from "../../core/declared-limit.ts";
import type { Manifest } from "../../core/manifest.ts";
import { createRandom } from "../../core/random.ts";
import type { WorstCase } from "../../core/cost-estimate.ts";
import type { SearchShape } from "../arrivals/arrival-kind.ts";
import type { SearchTrial } from "../capacity/search-trial.ts";
import { plannedSend } from "../profile/planned-send.ts";
import { describeArrivals, shapeOf } from "../arrivals/arrival-kinds.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import { loadKeyName } from "../profile/load-key-name.ts";
import type { TraceEntry } from "../arrivals/traces/trace-entry.ts";
import { readsUsage } from "../profile/reads-usage.ts";
import { templateLengths } from "../workload/template-lengths.ts";
import { plannedSeconds } from "./planned-seconds.ts";
import { type ProbeCost, probeCost } from "./probe-cost.ts";
import { worstCaseOfSend } from "./worst-case.ts";

/** The load that a profile would send, computed without sending anything. */
export interface LoadPlan {
  readonly profile: string;
  readonly arrivals: string;
  readonly workload: string;
  readonly sends: readonly PlannedSend[];
  /** Name of the key in the manifest. */
  readonly key: string;
  /** Warm-up included; searches may end earlier. */
  readonly durationMs: number;
  /** Why there is no schedule: a size relative to a limit that nobody declared. */
  readonly problem: string | null;
  /** Highest number of planned sends in any one second; the highest rate that a bisection may ask for. */
  readonly peakPerSecond: number;
  /** Requests of the schedule with all their turns and retries; null for a closed loop, which has no schedule. */
  readonly attempts: number | null;
  readonly worstCase: WorstCaseOfPlan;
}

/** Upper bounds, repeats and the reading of the usage report included; null where only time and the budget bound them. */
export interface WorstCaseOfPlan {
  readonly requests: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

export interface PlanInput {
  readonly profile: LoadProfile;
  readonly manifest: Pick<Manifest, (typeof planInputs)[number]>;
  readonly seed: number;
  /** Of the file that the arrivals name. */
  readonly trace?: readonly TraceEntry[] | null;
}

/** Parts of the manifest that a plan follows from. */
export const planInputs = ["keys", "limits", "prices", "target", "restore", "models", "features"] as const;

/** Seeded: the engine sends exactly this plan for the same seed. */
export function planLoad(input: PlanInput): LoadPlan {
  const { profile, manifest } = input;
  const { sends, worst, problem } = scheduleOf(input);
  const total = profile.workload.reduce((sum, item) => sum + item.weight, 0);
  return {
    profile: profile.id,
    arrivals: describeArrivals(profile),
    workload: profile.workload.map((item) => `${Math.round((100 * item.weight) / total)} % ${item.label}`).join(", "),
    sends,
    key: loadKeyName(profile.key, manifest),
    durationMs: planDurationMs(profile, sends),
    problem,
    peakPerSecond: worst === null ? 0 : peakPerSecond(worst),
    attempts: worst === null ? null : (1 + profile.retry.max) * countTurns(worst),
    worstCase: withProbe(
      worst === null ? worstOfClosed(profile, manifest) : worstOfSends(profile, manifest, worst),
      probeCost(profile, manifest),
    ),
  };
}

interface Schedule extends Pick<LoadPlan, "sends" | "problem"> {
  /** A schedule that no run exceeds; null where there is none. */
  readonly worst: readonly PlannedSend[] | null;
}

function scheduleOf({ profile, manifest, seed, trace }: PlanInput): Schedule {
  const random = createRandom(seed).fork(profile.id);
  const shape = shapeOf(profile.arrivals);
  switch (shape.name) {
    case "loop":
      return { sends: [], worst: null, problem: null };
    case "search": {
      const { levels } = shape;
      // A loop has no schedule, and no number of requests unless its trials state one.
      if (levels.of === "concurrency") return { sends: [], worst: worstOfLoops(shape), problem: null };
      // As its engine draws the rates, one after the other; between them it waits for answers.
      const follow = (trials: readonly SearchTrial[]): readonly PlannedSend[] => {
        let beginMs = 0;
        return trials.flatMap((trial, step) => {
          const fromMs = beginMs;
          beginMs += 1000 * trial.seconds;
          return levels.schedule(trial, step, random.fork(`rate/${step}`)).map((send) => ({ ...send, atMs: send.atMs + fromMs }));
        });
      };
      return { sends: follow(shape.plannedTrials), worst: follow(shape.worstTrials), problem: null };
    }
    case "open":
    case "conversations":
      try {
        const sends = shape.schedule({
          random: random.fork("arrivals"),
          durationSeconds: profile.durationSeconds,
          warmUpSeconds: profile.warmUpSeconds,
          requestLimit: declaredLimit(manifest),
          burstLimit: manifest.restore.keys[loadKeyName(profile.key, manifest)]?.burst_limit ?? null,
          trace: trace ?? [],
        });
        return { sends, worst: sends, problem: null };
      } catch (error) {
        if (error instanceof RangeError) return { sends: [], worst: [], problem: error.message };
        throw error;
      }
    default:
      return shape satisfies never;
  }
}

/** Requests of loops wait for answers and for the rate that is permitted: they fall due far apart. */
function worstOfLoops({ worstTrials }: SearchShape): readonly PlannedSend[] | null {
  const requests = worstTrials.reduce((sum, trial) => sum + (trial.requests ?? Infinity), 0);
  return Number.isFinite(requests) ? Array.from({ length: requests }, (_, place) => plannedSend(1000 * place)) : null;
}

function countTurns(sends: readonly PlannedSend[]): number {
  return sends.reduce((sum, send) => sum + send.turns, 0);
}

/** Before the profile, after it, and once more when the report was late. */
const mostUsageReadings = 3;

function worstOfSends(profile: LoadProfile, manifest: PlanInput["manifest"], sends: readonly PlannedSend[]): WorstCaseOfPlan {
  // A request whose connection is closed under it is sent once more, whatever the profile says about retries.
  const attempts = 2 + profile.retry.max;
  const known = new Map<string, WorstCase>();
  let [tokens, costUsd] = [0, 0];
  for (const send of sends) {
    const { promptTokens, outputTokens, turns } = send;
    const isAlike = send.messages === undefined && send.later === undefined;
    const name = isAlike ? `${promptTokens}/${outputTokens}/${turns}` : "";
    const worst = known.get(name) ?? worstCaseOfSend(profile.workload, manifest, send);
    if (isAlike) known.set(name, worst);
    tokens += attempts * worst.tokens;
    costUsd += attempts * worst.costUsd;
  }
  const readings = readsUsage(profile) ? mostUsageReadings : 0;
  const learned = profile.workload.filter((item) => item.endpoint === "chat" && item.exactPrompts);
  for (const item of learned) {
    const sizes = { promptTokens: Math.max(...templateLengths), outputTokens: 1, turns: 1 };
    const worst = worstCaseOfSend([item], manifest, sizes);
    tokens += 2 * templateLengths.length * worst.tokens;
    costUsd += 2 * templateLengths.length * worst.costUsd;
  }
  return { requests: attempts * countTurns(sends) + readings + 2 * templateLengths.length * learned.length, tokens, costUsd };
}

function withProbe({ requests, tokens, costUsd }: WorstCaseOfPlan, probe: ProbeCost): WorstCaseOfPlan {
  const add = (one: number | null, other: number): number | null => (one === null ? null : one + other);
  return {
    requests: add(requests, probe.requests),
    tokens: add(tokens, probe.requests * probe.each.tokens),
    costUsd: add(costUsd, probe.requests * probe.each.costUsd),
  };
}

function worstOfClosed(profile: LoadProfile, manifest: PlanInput["manifest"]): WorstCaseOfPlan {
  const one = worstCaseOfSend(profile.workload, manifest, { promptTokens: null, outputTokens: null, turns: 1 });
  return { requests: null, tokens: one.tokens === 0 ? 0 : null, costUsd: one.costUsd === 0 ? 0 : null };
}

function describeLength(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** The sums of a plan, without its send times. */
export function describePlan(plan: LoadPlan): readonly string[] {
  return [
    `# ${plan.profile}: ${plan.arrivals}; ${plan.workload}`,
    ...(plan.problem === null ? [] : [`# it cannot run: ${plan.problem}`]),
    `# ${plan.attempts === null ? "a send for each answer" : `${plan.sends.length} sends, at most ${plan.peakPerSecond} in one second`}, takes ${describeLength(plan.durationMs)} with key ${plan.key}`,
  ];
}

function planDurationMs(profile: LoadProfile, sends: readonly PlannedSend[]): number {
  const shape = shapeOf(profile.arrivals);
  const plannedMs = 1000 * plannedSeconds(profile);
  const endsEarly = shape.name === "open" && shape.ownSeconds === undefined && shape.endsEarly === true;
  return endsEarly ? Math.min(plannedMs, (sends.at(-1)?.atMs ?? 0) + 1000) : plannedMs;
}

function peakPerSecond(sends: readonly PlannedSend[]): number {
  let peak = 0;
  for (let from = 0, to = 0; to < sends.length; to += 1) {
    // A microsecond for instants that are sums of binary fractions.
    while ((sends[to]?.atMs ?? 0) - (sends[from]?.atMs ?? 0) >= 999.999) from += 1;
    peak = Math.max(peak, to - from + 1);
  }
  return peak;
}
