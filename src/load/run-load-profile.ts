import type { Clock } from "../core/clock.ts";
import type { Exchange } from "../core/exchange.ts";
import type { LoadProfileResult, LoadStep } from "../core/load-result.ts";
import type { Manifest } from "../core/manifest.ts";
import type { OnProgress } from "../core/progress.ts";
import { createRandom } from "../core/random.ts";
import type { Sender } from "../core/send-request.ts";
import { createAbortWatch } from "./abort-watch.ts";
import { rateSchedule } from "./arrival-schedule.ts";
import { crossCheckWithAutocannon } from "./cross-check.ts";
import { driveClosedLoop, driveOpenLoop } from "./drive-load.ts";
import { countAnswers } from "./count-answers.ts";
import { followProfile } from "./follow-profile.ts";
import { createHopelessWatch } from "./hopeless-watch.ts";
import type { GateSource } from "./judge-gate.ts";
import { createLoadEngine, type LoadEngine } from "./load-engine.ts";
import type { LoadProfile, PlannedSend } from "./load-profile.ts";
import { createClockPacer, createWorkerPacer, type Pacer } from "./pacer.ts";
import { parseGate } from "./parse-gate.ts";
import { planLoad } from "./plan-load.ts";
import { loadKeyName, permittedRps, profileBlockers } from "./profile-blockers.ts";
import { createRecordStore, type RecordStore } from "./record-store.ts";
import { searchRates } from "./search-rates.ts";
import { createSecondSeries } from "./second-series.ts";
import { summarizeLoad, summarizeStep } from "./summarize-load.ts";
import type { TraceEntry } from "./read-trace.ts";
import { openUsageBooks } from "./usage-books.ts";
import { createWorkload } from "./workload.ts";

export interface RunLoadInput {
  readonly profile: LoadProfile;
  readonly manifest: Manifest;
  readonly sender: Sender & { readonly warm?: (lanes: readonly number[]) => Promise<unknown> };
  readonly clock: Clock;
  readonly seed: number;
  readonly onProgress?: OnProgress;
  /** Every exchange as it ends, for evidence, passive validation and the limit monitor. Must be quick. */
  readonly onExchange?: (exchange: Exchange) => void;
  readonly signal?: AbortSignal;
  /** Default: the worker pacer, or with `virtualTime` the clock's own. */
  readonly pacer?: Pacer;
  /** The clock is virtual and its sleeps move it: time stands still for it while answers are under way. */
  readonly virtualTime?: boolean;
  readonly trace?: readonly TraceEntry[];
  /** What the limit monitor found in this profile's history; asked once, after the last answer. */
  readonly limits?: GateSource["limits"];
}

/** Between the call and the first instant of a schedule. */
const startLeadMs = 200;
/** In-flight requests get this long after an interrupt. */
const interruptGraceMs = 2000;
/** Connections that are opened before the first send. */
const mostWarmConnections = 64;

/**
 * Runs one profile from warm-up to verdict. Throws RangeError when the manifest does not permit or cannot serve the profile
 * (`profileBlockers` tells beforehand). Never rejects for what the target does.
 */
export async function runLoadProfile(input: RunLoadInput): Promise<LoadProfileResult> {
  const { manifest, clock } = input;
  const profile = { ...input.profile, key: loadKeyName(input.profile.key, manifest) };
  const plan = planLoad({ profile, manifest, seed: input.seed, ...(input.trace === undefined ? {} : { trace: input.trace }) });
  const blockers = profileBlockers(profile, manifest, plan);
  if (blockers.length > 0) throw new RangeError(`profile ${profile.id} cannot run: ${blockers.join("; ")}`);
  const random = createRandom(input.seed).fork(profile.id);
  const workload = createWorkload(profile.workload, { manifest, keyName: profile.key, random, wallMs: () => clock.wallMs() });
  await input.sender.warm?.(Array.from({ length: warmConnections(profile, plan.peakPerSecond) }, (_, lane) => lane));

  const books = await openUsageBooks(input.sender, profile, clock);

  // The pacer's thread needs a moment to start; nothing is due before it runs.
  const startMs = clock.nowMs() + startLeadMs;
  const fromMs = startMs + 1000 * profile.warmUpSeconds;
  const store = createRecordStore();
  const series = createSecondSeries(startMs);
  const answers = countAnswers();
  const engine = createLoadEngine({
    profile,
    sender: input.sender,
    clock,
    workload,
    store,
    series,
    measureFromMs: fromMs,
    retryUntilMs: startMs + plan.durationMs,
    onExchange: input.onExchange ?? (() => {}),
    watches: [
      answers,
      createAbortWatch(profile.abort),
      ...(profile.abort.hopeless && plan.sends.length > 0
        ? [createHopelessWatch(profile.gates.map(parseGate), plan.worstCase.requests ?? plan.sends.length)]
        : []),
    ],
    signal: input.signal ?? new AbortController().signal,
  });
  const live = followProfile({
    profile: profile.id,
    clock,
    series,
    startMs,
    durationMs: plan.durationMs,
    takeAnswers: answers.take,
    onProgress: input.onProgress ?? (() => {}),
  });
  const driven = await drive({ ...input, profile }, { engine, store, startMs, fromMs, plan: plan.sends });
  const sendingEndedMs = clock.nowMs();
  await engine.drain(engine.stopReason() === "interrupted" ? interruptGraceMs : 1000 * profile.timeoutSeconds + interruptGraceMs);
  const health = live.stop();
  const usageCheck = books === null || engine.stopReason() === "interrupted" ? null : await books.close(store.records);
  const result = summarizeLoad({
    profile,
    workload: workload.describe(),
    records: store.records,
    series,
    health,
    planned: driven.planned,
    retried: engine.retried(),
    races: engine.races(),
    startMs,
    fromMs,
    toMs: engine.stopReason() === null ? Math.max(driven.toMs, fromMs) : Math.max(fromMs, Math.min(driven.toMs, sendingEndedMs)),
    endMs: clock.nowMs(),
    steps: driven.steps,
    knee: driven.knee,
    stopReason: engine.stopReason(),
    random: random.fork("samples"),
    limits: input.limits ?? (() => null),
  });
  if (profile.engine !== "autocannon" || engine.stopReason() !== null) return { ...result, usageCheck };
  const crossCheck = await crossCheckWithAutocannon({
    profile,
    manifest,
    request: workload.request(0, { atMs: 0, session: null, turns: 1, promptTokens: null, outputTokens: null, step: 0 }),
    ourRequestsPerSecond: result.rates.ok,
    signal: engine.stopped,
  });
  return { ...result, usageCheck, crossCheck };
}

interface DriveContext {
  readonly engine: LoadEngine;
  readonly store: RecordStore;
  readonly startMs: number;
  readonly fromMs: number;
  readonly plan: readonly PlannedSend[];
}

interface Driven {
  readonly planned: number;
  /** End of the measured window on the run clock. */
  readonly toMs: number;
  readonly steps: readonly LoadStep[];
  readonly knee: LoadProfileResult["knee"];
}

async function drive(input: RunLoadInput, context: DriveContext): Promise<Driven> {
  const { profile, clock } = input;
  const { arrivals } = profile;
  const { engine, startMs, plan } = context;
  const random = createRandom(input.seed).fork(profile.id);
  const settle = (): Promise<void> => engine.idle(1000 * profile.timeoutSeconds);
  const pacer = input.pacer ?? (input.virtualTime === true ? createClockPacer(clock, settle) : createWorkerPacer(clock));
  const endMs = startMs + 1000 * (profile.warmUpSeconds + profile.durationSeconds);
  const allowedRps = permittedRps(input.manifest);
  const base = { engine, pacer, clock, random, untilMs: endMs, leastGapMs: allowedRps === null ? 0 : 1000 / allowedRps };
  if (arrivals.kind === "closed") {
    await driveClosedLoop({ ...base, startMs, firstIndex: 0 }, arrivals);
    return { planned: context.store.records.length, toMs: endMs, steps: [], knee: null };
  }
  if (arrivals.kind !== "sweep" && arrivals.kind !== "bisect") {
    await driveOpenLoop({ ...base, startMs, firstIndex: 0 }, plan, arrivals);
    if (input.virtualTime === true) await settle();
    await waitUntil(clock, Math.min(endMs, startMs + lastInstant(plan) + 1000), engine.stopped);
    return { planned: plan.length, toMs: windowEnd(profile, plan, startMs, endMs), steps: [], knee: null };
  }
  const seconds = arrivals.kind === "sweep" ? arrivals.secondsPerRate : arrivals.secondsPerProbe;
  let planned = 0;
  const search = await searchRates(arrivals, async (rate, step) => {
    const schedule = rateSchedule(rate, seconds, arrivals.gaps, random.fork(`rate/${step}`), step);
    const stepStartMs = clock.nowMs() + startLeadMs;
    const seen = context.store.records.length;
    await driveOpenLoop({ ...base, startMs: stepStartMs, firstIndex: planned }, schedule, arrivals);
    planned += schedule.length;
    await waitUntil(clock, stepStartMs + 1000 * seconds, engine.stopped);
    if (engine.stopped.aborted) return null;
    // The next rate must not inherit the queue of this one.
    await engine.idle(1000 * profile.timeoutSeconds);
    const records = context.store.records.slice(seen).filter((record) => record.step === step);
    return summarizeStep(records, rate, 1000 * seconds, leastGoodFraction);
  });
  return { planned, toMs: clock.nowMs(), steps: search.steps, knee: search.knee };
}

/** A rate is held when this share of its requests meets the service level. */
const leastGoodFraction = 0.95;

/** Bursts and traces end with their last send; everything else has the length that the profile says. */
function windowEnd(profile: LoadProfile, plan: readonly PlannedSend[], startMs: number, endMs: number): number {
  switch (profile.arrivals.kind) {
    case "trace":
    case "bursts":
      return Math.min(endMs, startMs + lastInstant(plan) + 1000);
    case "steps":
      return startMs + 1000 * profile.arrivals.steps.reduce((sum, step) => sum + step.seconds, 0);
    case "constant":
    case "poisson":
    case "gamma":
    case "ramp":
    case "spike":
    case "closed":
    case "sweep":
    case "bisect":
    case "sessions":
      return endMs;
    default:
      return profile.arrivals satisfies never;
  }
}

function lastInstant(plan: readonly PlannedSend[]): number {
  return plan.at(-1)?.atMs ?? 0;
}

async function waitUntil(clock: Clock, atMs: number, signal: AbortSignal): Promise<void> {
  const waitMs = atMs - clock.nowMs();
  if (waitMs <= 0 || signal.aborted) return;
  try {
    await clock.sleep(waitMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function warmConnections(profile: LoadProfile, peakPerSecond: number): number {
  const wanted = profile.arrivals.kind === "closed" ? profile.arrivals.concurrency : Math.max(2, peakPerSecond);
  return Math.min(wanted, profile.maxInFlight, mostWarmConnections);
}
