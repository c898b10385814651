import type { Manifest } from "../core/manifest.ts";
import { createRandom } from "../core/random.ts";
import { arrivalSchedule, describeArrivals } from "./arrival-schedule.ts";
import type { LoadProfile, PlannedSend } from "./load-profile.ts";
import { loadKeyName } from "./profile-blockers.ts";
import type { TraceEntry } from "./read-trace.ts";
import { worstCaseOf } from "./workload.ts";

/** What a profile would send, computed without sending anything. */
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
  /** Upper bounds; requests of closed loops are bounded by time only and count as null. */
  readonly worstCase: { readonly requests: number | null; readonly tokens: number | null; readonly costUsd: number | null };
}

export interface PlanInput {
  readonly profile: LoadProfile;
  readonly manifest: Pick<Manifest, "keys" | "limits" | "prices" | "target" | "restore">;
  readonly seed: number;
  readonly trace?: readonly TraceEntry[];
}

/** Seeded: the engine sends exactly this plan for the same seed. */
export function planLoad(input: PlanInput): LoadPlan {
  const { profile, manifest } = input;
  const { sends, problem } = scheduleOf(input);
  const total = profile.workload.reduce((sum, item) => sum + item.weight, 0);
  const requests = worstRequests(profile, sends);
  const costs = profile.workload.map((item) => worstCaseOf(item, manifest.prices));
  const worst = (value: (cost: (typeof costs)[number]) => number): number | null =>
    requests === null ? null : requests * Math.max(0, ...costs.map(value));
  return {
    profile: profile.id,
    arrivals: describeArrivals(profile),
    workload: profile.workload.map((item) => `${Math.round((100 * item.weight) / total)} % ${item.label}`).join(", "),
    sends,
    key: loadKeyName(profile.key, manifest),
    durationMs: planDurationMs(profile, sends),
    problem,
    peakPerSecond: profile.arrivals.kind === "bisect" ? Math.ceil(profile.arrivals.highPerSecond) : peakPerSecond(sends),
    worstCase: { requests, tokens: worst((cost) => cost.tokens), costUsd: worst((cost) => cost.costUsd) },
  };
}

function scheduleOf({ profile, manifest, seed, trace }: PlanInput): Pick<LoadPlan, "sends" | "problem"> {
  try {
    const sends = arrivalSchedule({
      profile,
      random: createRandom(seed).fork(profile.id),
      requestLimit: requestLimit(manifest),
      burstLimit: manifest.restore.keys[loadKeyName(profile.key, manifest)]?.burst_limit ?? null,
      ...(trace === undefined ? {} : { trace }),
    });
    return { sends, problem: null };
  } catch (error) {
    if (error instanceof RangeError) return { sends: [], problem: error.message };
    throw error;
  }
}

/** As declared, else the default of the plan (spec, section "Rate limits"). */
function requestLimit({ limits, target }: PlanInput["manifest"]): number | null {
  if (limits.requestsPerMinute !== null) return limits.requestsPerMinute;
  if (target.plan === null) return null;
  return target.plan === "starter" ? 60 : 600;
}

/** The most that a profile can send and cost; a closed loop is bounded by its time and by the budget. */
export function describeWorstCase({ worstCase }: Pick<LoadPlan, "worstCase">): string {
  const { requests, tokens, costUsd } = worstCase;
  if (requests === null || tokens === null || costUsd === null) return "bounded by its time and the budget only";
  return `at most ${requests} requests, ${tokens} tokens, ${costUsd.toFixed(2)} USD`;
}

function describeLength(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Every planned send, one a line: instant, session, turns, lengths of the trace. */
export function printPlan(plan: LoadPlan): string {
  const lines = [
    `# ${plan.profile}: ${plan.arrivals}; ${plan.workload}`,
    ...(plan.problem === null ? [] : [`# it cannot run: ${plan.problem}`]),
    `# ${plan.sends.length} sends, at most ${plan.peakPerSecond} in one second, takes ${describeLength(plan.durationMs)} with key ${plan.key}`,
    ...plan.sends.map((send, index) => {
      const extras = [
        send.session === null ? "" : ` session=${send.session} turns=${send.turns}`,
        send.promptTokens === null ? "" : ` prompt=${send.promptTokens}`,
        send.outputTokens === null ? "" : ` output=${send.outputTokens}`,
        send.step === 0 ? "" : ` step=${send.step}`,
      ];
      return `${index + 1} ${(send.atMs / 1000).toFixed(6)}${extras.join("")}`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

function worstRequests(profile: LoadProfile, sends: readonly PlannedSend[]): number | null {
  const attempts = 1 + profile.retry.max;
  switch (profile.arrivals.kind) {
    case "closed":
      return null;
    case "bisect": {
      const { highPerSecond, secondsPerProbe, maxProbes } = profile.arrivals;
      // Poisson counts exceed their mean; six standard deviations are never seen.
      const mean = highPerSecond * secondsPerProbe;
      return Math.ceil(maxProbes * (mean + 6 * Math.sqrt(mean)) * attempts);
    }
    case "sessions":
      return attempts * sends.reduce((sum, send) => sum + send.turns, 0);
    case "constant":
    case "poisson":
    case "gamma":
    case "ramp":
    case "steps":
    case "spike":
    case "bursts":
    case "sweep":
    case "trace":
      return attempts * sends.length;
    default:
      return profile.arrivals satisfies never;
  }
}

function planDurationMs(profile: LoadProfile, sends: readonly PlannedSend[]): number {
  const { arrivals } = profile;
  const windowMs = 1000 * (profile.durationSeconds + profile.warmUpSeconds);
  switch (arrivals.kind) {
    case "steps":
      return 1000 * arrivals.steps.reduce((sum, step) => sum + step.seconds, 0);
    case "sweep":
      return 1000 * arrivals.secondsPerRate * arrivals.ratesPerSecond.length;
    case "bisect":
      return 1000 * arrivals.secondsPerProbe * arrivals.maxProbes;
    case "trace":
    case "bursts":
      return Math.min(windowMs, (sends.at(-1)?.atMs ?? 0) + 1000);
    case "constant":
    case "poisson":
    case "gamma":
    case "ramp":
    case "spike":
    case "closed":
    case "sessions":
      return windowMs;
    default:
      return arrivals satisfies never;
  }
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
