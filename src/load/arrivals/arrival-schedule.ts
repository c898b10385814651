import type { Random } from "../../core/random.ts";
import { arrivalTimes, constantRate, linearRate, unitGaps, type RateCurve } from "./arrival-times.ts";
import { drawLength } from "../workload/draw-length.ts";
import type { Arrivals, Gaps, LoadProfile, PlannedSend } from "../profile/load-profile.ts";
import type { TraceEntry } from "./read-trace.ts";

export interface ScheduleInput {
  readonly profile: Pick<LoadProfile, "arrivals" | "durationSeconds" | "warmUpSeconds">;
  readonly random: Random;
  /** Requests per minute that the target declares; sizes like `limit+1` need it. */
  readonly requestLimit: number | null;
  /** `burst_limit` of the key, as the manifest states it; sizes like `burst+1` need it. */
  readonly burstLimit?: number | null;
  /** Entries of the trace that the arrivals name, already read. */
  readonly trace?: readonly TraceEntry[];
}

/**
 * The whole open-loop schedule, warm-up included, in order of time. Closed loops have none: they send when an answer
 * arrives. Sweeps and bisections give the schedule of the rates they start with; the engine asks for more by
 * `rateSchedule`. Throws RangeError when a size relative to the limit is asked for and no limit is known.
 */
export function arrivalSchedule(input: ScheduleInput): readonly PlannedSend[] {
  const { arrivals, durationSeconds, warmUpSeconds } = input.profile;
  const random = input.random.fork("arrivals");
  const totalMs = 1000 * (durationSeconds + warmUpSeconds);
  switch (arrivals.kind) {
    case "constant":
      return sends(arrivalTimes(constantRate(arrivals.ratePerSecond), unitGaps("even", random), 0, totalMs));
    case "poisson":
      return sends(arrivalTimes(constantRate(arrivals.ratePerSecond), unitGaps("poisson", random), 0, totalMs));
    case "gamma":
      return sends(arrivalTimes(constantRate(arrivals.ratePerSecond), unitGaps({ shape: arrivals.shape }, random), 0, totalMs));
    case "ramp":
      return rampSends(arrivals, input.profile, random);
    case "steps":
      return pieces(
        arrivals.steps.map((step) => ({ rate: constantRate(step.ratePerSecond), seconds: step.seconds })),
        arrivals.gaps,
        random,
      );
    case "spike":
      return spikeSends(arrivals, durationSeconds + warmUpSeconds, random);
    case "bursts":
      return burstSends(arrivals, totalMs, random, input);
    case "closed":
      return [];
    case "sweep":
      return pieces(
        arrivals.ratesPerSecond.map((rate) => ({ rate: constantRate(rate), seconds: arrivals.secondsPerRate })),
        arrivals.gaps,
        random,
      );
    case "bisect":
      return rateSchedule(arrivals.lowPerSecond, arrivals.secondsPerProbe, arrivals.gaps, random, 0);
    case "trace":
      return traceSends(input.trace ?? [], arrivals.speed, totalMs);
    case "sessions":
      return arrivalTimes(constantRate(arrivals.ratePerSecond), unitGaps("poisson", random), 0, totalMs).map((atMs, session) =>
        plain(atMs, { session, turns: Math.max(1, drawLength(arrivals.turns, random)) }),
      );
    default:
      return arrivals satisfies never;
  }
}

/** Schedule of one rate of a sweep or bisection, from its own start. */
export function rateSchedule(
  ratePerSecond: number,
  seconds: number,
  gaps: Gaps,
  random: Random,
  step: number,
): readonly PlannedSend[] {
  return sends(arrivalTimes(constantRate(ratePerSecond), unitGaps(gaps, random), 0, 1000 * seconds), step);
}

/** One line for reports: `poisson 20/s for 30 s after 5 s of warm-up`. */
export function describeArrivals(profile: Pick<LoadProfile, "arrivals" | "durationSeconds" | "warmUpSeconds">): string {
  const { arrivals } = profile;
  const window = ` for ${profile.durationSeconds} s${profile.warmUpSeconds > 0 ? ` after ${profile.warmUpSeconds} s of warm-up` : ""}`;
  switch (arrivals.kind) {
    case "constant":
    case "poisson":
      return `${arrivals.kind} ${arrivals.ratePerSecond}/s${window}`;
    case "gamma":
      return `gamma ${arrivals.ratePerSecond}/s (shape ${arrivals.shape})${window}`;
    case "ramp":
      return `ramp ${arrivals.fromPerSecond}/s to ${arrivals.toPerSecond}/s${window}`;
    case "steps":
      return `steps ${arrivals.steps.map((step) => `${step.ratePerSecond}/s for ${step.seconds} s`).join(", ")}`;
    case "spike":
      return `${arrivals.basePerSecond}/s with a spike of ${arrivals.peakPerSecond}/s at ${arrivals.atSeconds} s for ${arrivals.forSeconds} s${window}`;
    case "bursts":
      return `bursts of ${arrivals.bursts.map(({ at, size }) => `${size} at ${at} s`).join(", ")}${arrivals.edgeMs === null ? "" : `, then one request ${arrivals.edgeMs} ms before and one after the minute`}`;
    case "closed":
      return `closed loop of ${arrivals.concurrency}${arrivals.thinkMs > 0 ? `, ${arrivals.thinkMs} ms of thought` : ""}${window}`;
    case "sweep":
      return `sweep ${arrivals.ratesPerSecond.map((rate) => `${rate}/s`).join(", ")}, ${arrivals.secondsPerRate} s each`;
    case "bisect":
      return `bisection of ${arrivals.lowPerSecond}/s to ${arrivals.highPerSecond}/s, ${arrivals.secondsPerProbe} s a probe`;
    case "trace":
      return describeReplay(arrivals, window);
    case "sessions":
      return `sessions ${arrivals.ratePerSecond}/s${window}`;
    default:
      return arrivals satisfies never;
  }
}

function describeReplay({ file, speed, rows }: Extract<Arrivals, { kind: "trace" }>, window: string): string {
  const pace = speed === 1 ? "" : ` at ${speed} times its speed`;
  if (rows === undefined) return `replay of ${file}${pace}`;
  const leftOut = rows.leftOut === 0 ? "" : `; ${rows.leftOut} of ${rows.total} rows fall due later and are left out`;
  return `replay of ${file}${pace}${window}${leftOut}`;
}

/** The warm-up of a ramp runs at its first rate, so that the measured window holds the whole ramp. */
function rampSends(
  arrivals: Extract<Arrivals, { kind: "ramp" }>,
  profile: ScheduleInput["profile"],
  random: Random,
): readonly PlannedSend[] {
  const { durationSeconds: seconds, warmUpSeconds } = profile;
  const warmUp = { rate: constantRate(arrivals.fromPerSecond), seconds: warmUpSeconds };
  const ramp = { rate: linearRate(arrivals.fromPerSecond, arrivals.toPerSecond, seconds), seconds };
  return pieces(warmUpSeconds > 0 && arrivals.fromPerSecond > 0 ? [warmUp, ramp] : [ramp], arrivals.gaps, random);
}

function spikeSends(
  arrivals: Extract<Arrivals, { kind: "spike" }>,
  totalSeconds: number,
  random: Random,
): readonly PlannedSend[] {
  const base = constantRate(arrivals.basePerSecond);
  const after = totalSeconds - arrivals.atSeconds - arrivals.forSeconds;
  return pieces(
    [
      { rate: base, seconds: arrivals.atSeconds },
      { rate: constantRate(arrivals.peakPerSecond), seconds: arrivals.forSeconds },
      { rate: base, seconds: Math.max(0, after) },
    ],
    arrivals.gaps,
    random,
  );
}

const windowMs = 60_000;

function burstSends(
  arrivals: Extract<Arrivals, { kind: "bursts" }>,
  totalMs: number,
  random: Random,
  bounds: Pick<ScheduleInput, "requestLimit" | "burstLimit">,
): readonly PlannedSend[] {
  const result: PlannedSend[] = [];
  let lastMs = 0;
  for (const [step, burst] of arrivals.bursts.entries()) {
    const atMs = 1000 * burst.at;
    if (atMs >= totalMs) break;
    const size = burstSize(burst.size, bounds);
    const offsets = size === 1 ? [0] : spread(size, arrivals.spreadMs, random);
    for (const offset of offsets) result.push(plain(atMs + offset, { step }));
    lastMs = atMs;
  }
  // A window that began with the burst, or that slides, ends a minute after it (spec, section "Rate limits").
  const edges = arrivals.edgeMs === null ? [] : [lastMs + windowMs - arrivals.edgeMs, lastMs + windowMs + arrivals.edgeMs];
  for (const atMs of edges) if (atMs < totalMs) result.push(plain(atMs, { step: arrivals.bursts.length }));
  return result;
}

function spread(size: number, spreadMs: number, random: Random): readonly number[] {
  return Array.from({ length: size }, () => random.next() * spreadMs).sort((a, b) => a - b);
}

/** What a target says of its limits never decides how much is sent: gateways say "unlimited" by 2147483647. */
const largestBurst = 20_000;

/** `limit`, `limit+1`, `limit-1`, `2*limit+1`, the same of `burst`, or a number. */
function burstSize(
  size: number | string,
  { requestLimit, burstLimit = null }: Pick<ScheduleInput, "requestLimit" | "burstLimit">,
): number {
  if (typeof size === "number") return size;
  const match = /^(?:(\d)\*)?(limit|burst)(?:([+-])(\d+))?$/.exec(size);
  if (match === null) throw new RangeError(`burst size "${size}" is neither a number nor limit, limit+N, limit-N or 2*limit+N`);
  const bound = match[2] === "limit" ? requestLimit : burstLimit;
  if (bound === null) {
    const source = match[2] === "limit" ? "limits.requestsPerMinute or a plan" : "burst_limit of the key below restore.keys";
    throw new RangeError(`burst size "${size}" needs ${source} in the manifest`);
  }
  const base = Number(match[1] ?? 1) * bound;
  if (base > largestBurst) {
    throw new RangeError(
      `burst size "${size}" is unreachable: the ${match[2]} is ${bound}, and at most ${largestBurst} are sent at once`,
    );
  }
  const offset = Number(match[4] ?? 0);
  return Math.max(0, match[3] === "-" ? base - offset : base + offset);
}

function traceSends(trace: readonly TraceEntry[], speed: number, totalMs: number): readonly PlannedSend[] {
  return trace.map(({ atMs, ...rest }) => plain(atMs / speed, rest)).filter((entry) => entry.atMs < totalMs);
}

function pieces(
  parts: readonly { readonly rate: RateCurve; readonly seconds: number }[],
  gaps: Gaps,
  random: Random,
): readonly PlannedSend[] {
  const result: PlannedSend[] = [];
  let fromMs = 0;
  for (const [step, part] of parts.entries()) {
    for (const atMs of arrivalTimes(part.rate, unitGaps(gaps, random), fromMs, 1000 * part.seconds)) {
      result.push(plain(atMs, { step }));
    }
    fromMs += 1000 * part.seconds;
  }
  return result;
}

function sends(times: readonly number[], step = 0): readonly PlannedSend[] {
  return times.map((atMs) => plain(atMs, { step }));
}

function plain(atMs: number, rest: Partial<PlannedSend> = {}): PlannedSend {
  return { atMs, session: null, turns: 1, promptTokens: null, outputTokens: null, step: 0, ...rest };
}

/** Whether first attempts leave at planned instants; otherwise each waits for an answer before it. */
export function isScheduled({ arrivals }: Pick<LoadProfile, "arrivals">): boolean {
  return arrivals.kind !== "closed" && arrivals.kind !== "sessions";
}
