import { availableParallelism } from "node:os";
import { loadManifest } from "../../../config/load-manifest.ts";
import { redactManifest } from "../../../config/redact-manifest.ts";
import type { Clock } from "../../../core/clock.ts";
import type { InstrumentAccuracy } from "../../../core/result/generator-health.ts";
import type { LoadProfileResult } from "../../../core/result/load-result.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { OnProgress } from "../../../core/progress.ts";
import type { Result } from "../../../core/result/result.ts";
import { chooseWorkers } from "../../../load/workers/choose-workers.ts";
import type { LoadWorkers } from "../../../load/workers/load-workers.ts";
import { describeWorstCase } from "../../../load/plan/describe-worst-case.ts";
import { planLoad } from "../../../load/plan/plan-load.ts";
import { describeBlockers } from "../../../load/profile/blocker.ts";
import { permittedRps, profileBlockers } from "../../../load/plan/profile-blockers.ts";
import { allocateRateAllowance } from "../../../load/send/rate-allowance.ts";
import { ProfileError } from "../../../load/profile/profile-error.ts";
import type { LoadedProfile } from "../../../load/plan/read-profile.ts";
import { runLoadProfile } from "../../../load/run-load-profile.ts";
import { createBudget, type Budget } from "../../../wire/budget/budget.ts";
import { allocateSharedCounters, createSharedCounters } from "../../../wire/budget/budget-counters.ts";
import { createRealClock } from "../../../wire/clock/real-clock.ts";
import { createWire, type Wire } from "../../../wire/client/wire.ts";
import { discoverModels } from "../../../run/stages/discover-models.ts";
import { noLoad } from "../../../run/verdict/find-load-findings.ts";
import { newRecord } from "../../../run/record/new-record.ts";
import { sealRecord } from "../../../run/record/seal-record.ts";
import { judgeRun } from "../../../run/record/judge-run.ts";
import { openInstrument } from "../../../run/stages/open-instrument.ts";
import { preflight } from "../../../run/stages/preflight.ts";
import { createThreadWorkers } from "../../../run/workers/thread-workers.ts";

export interface InTurnsOptions {
  readonly base: string;
  readonly next: string;
  readonly profile: LoadedProfile;
  readonly rounds: number;
  readonly seed: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  /** The error of this machine; without a number it may be tried several times. */
  readonly calibrate: (mostTries?: number) => Promise<InstrumentAccuracy>;
}

export interface MeasuredInTurns {
  readonly base: Result;
  readonly next: Result;
}

/** A target that does not answer as an API, so that there is nothing to measure. */
export interface InTurnsRefusal {
  readonly refusal: string;
}

/**
 * Measures two targets in turns with one profile, by the same number of workers on both sides. The key of both is ASSAY_API_KEY
 * unless ASSAY_NEW_API_KEY names another for the second. Nothing is written. Throws a ProfileError when a side may not be sent
 * the profile.
 */
export async function measureInTurns(options: InTurnsOptions): Promise<MeasuredInTurns | InTurnsRefusal> {
  const { seed, signal } = options;
  const startedAt = new Date().toISOString();
  const { profile, trace } = options.profile;
  const clock = createRealClock();
  const sides = { base: openSide(options, "base", clock), next: openSide(options, "next", clock) };
  try {
    const ready = { base: await chooseModels(sides.base, options), next: await chooseModels(sides.next, options) };
    for (const { refusal } of [ready.base, ready.next]) if (refusal !== null) return { refusal };
    const plan = planLoad({ profile, manifest: ready.base.manifest, seed, trace });
    const problems = [ready.base, ready.next].flatMap(({ manifest }) =>
      describeBlockers(profileBlockers(profile, manifest, plan)).map(
        (problem) => `${profile.id} against ${manifest.target.baseUrl}: ${problem}`,
      ),
    );
    if (problems.length > 0) throw new ProfileError(problems);
    const worst = describeWorstCase(plan, ready.base.manifest.budget, profile);
    options.say(`${profile.id}, each of ${2 * options.rounds} times: ${worst}`);
    const instrument = await openInstrument(options.calibrate);
    const { accuracy } = instrument;
    if (accuracy.uncalibrated !== undefined) options.say(accuracy.uncalibrated);
    // Once for all rounds: sides that were sent by different numbers of workers would differ by that.
    const workerCount = chooseWorkers(profile, plan, accuracy.calibration?.ceiling ?? null, availableParallelism());
    if (workerCount > 1) options.say(`${profile.id}: sent by ${workerCount} workers`);
    const measured = await takeTurns({
      rounds: options.rounds,
      signal,
      run: (side, round) => {
        options.say(`round ${round + 1} of ${options.rounds}: ${options[side]}`);
        return runLoadProfile({
          profile,
          manifest: ready[side].manifest,
          sender: sides[side].wire,
          budget: sides[side].budget,
          allowance: sides[side].allowance,
          clock,
          seed: seed + round,
          signal,
          workers: workerCount > 1 ? openWorkers(sides[side], workerCount) : null,
          trace,
          ...instrument.accuracy,
          recalibrate: () => instrument.again(),
        });
      },
    });
    const resultOf = (side: Side): Result =>
      describeSide(ready[side].manifest, measured[side], { startedAt, seed, profile: profile.id, accuracy: instrument.accuracy });
    return { base: resultOf("base"), next: resultOf("next") };
  } finally {
    await Promise.all([sides.base.wire.close(), sides.next.wire.close()]);
  }
}

type Side = "base" | "next";

/** Counters in shared memory, for workers of other threads. */
interface OpenSide {
  readonly manifest: Manifest;
  readonly wire: Wire;
  readonly budget: Budget;
  /** The sends a second that are permitted, over all rounds. */
  readonly allowance: SharedArrayBuffer | null;
  readonly counters: SharedArrayBuffer;
  readonly seq: SharedArrayBuffer;
}

function openSide({ env, signal, ...urls }: InTurnsOptions, side: Side, clock: Clock): OpenSide {
  const key = side === "next" ? (env["ASSAY_NEW_API_KEY"] ?? env["ASSAY_API_KEY"]) : env["ASSAY_API_KEY"];
  const manifest = manifestOf(urls[side], { ...env, ASSAY_API_KEY: key });
  const counters = allocateSharedCounters();
  const seq = new SharedArrayBuffer(4);
  const numbers = new Int32Array(seq);
  const budget = createBudget(manifest, createSharedCounters(counters));
  const wire = createWire({ manifest, clock, budget, nextSeq: () => Atomics.add(numbers, 0, 1) + 1, signal });
  return { manifest, wire, budget, allowance: allocateRateAllowance(permittedRps(manifest)), counters, seq };
}

function openWorkers({ counters, seq }: OpenSide, workerCount: number): LoadWorkers {
  return createThreadWorkers({ workerCount, budget: counters, seq, judge: null, onTransportRaces: () => {} });
}

async function chooseModels(
  { manifest, wire }: OpenSide,
  { say, signal }: InTurnsOptions,
): Promise<{ readonly manifest: Manifest; readonly refusal: string | null }> {
  const onProgress: OnProgress = (event) => (event.kind === "note" ? say(event.text) : undefined);
  const clock = createRealClock();
  const { exchange, refusal } = await preflight(manifest, wire, { onProgress, signal, clock, stages: ["load"] });
  return { manifest: discoverModels(manifest, exchange).manifest, refusal };
}

function manifestOf(baseUrl: string, env: InTurnsOptions["env"]): Manifest {
  const loaded = loadManifest({ file: null, baseUrl, workingDirectory: process.cwd(), env });
  if (loaded === null) throw new Error(`no manifest for ${baseUrl}`);
  return loaded.manifest;
}

function describeSide(
  manifest: Manifest,
  profiles: readonly LoadProfileResult[],
  run: {
    readonly startedAt: string;
    readonly seed: number;
    readonly profile: string;
    readonly accuracy: InstrumentAccuracy;
  },
): Result {
  const { startedAt, seed, profile, accuracy } = run;
  const record = newRecord({
    runId: startedAt,
    startedAt,
    command: ["assay", "compare", "--profile", profile],
    seed,
    strict: false,
    stages: ["load"],
    manifest: redactManifest(manifest),
  });
  const durationMs = profiles.reduce((sum, one) => sum + one.durationMs, 0);
  return judgeRun(sealRecord({ ...record, durationMs }), [], { ...noLoad, load: { profiles, ...accuracy } });
}

interface TurnsInput {
  /** Pairs of measurements; 4 and more, so that slow drift of machine and network falls on both sides alike. */
  readonly rounds: number;
  /** Runs the profile once against one side; equal rounds must get equal seeds on both sides. */
  run(side: "base" | "next", round: number): Promise<LoadProfileResult>;
  readonly signal?: AbortSignal;
}

interface TurnsResult {
  readonly base: readonly LoadProfileResult[];
  readonly next: readonly LoadProfileResult[];
}

/** Measures two targets in turns: A B, B A, A B ... Only whole pairs are kept when the signal ends it. */
export async function takeTurns(input: TurnsInput): Promise<TurnsResult> {
  const base: LoadProfileResult[] = [];
  const next: LoadProfileResult[] = [];
  const stopped = (): boolean => input.signal?.aborted ?? false;
  for (let round = 0; round < input.rounds && !stopped(); round += 1) {
    const baseFirst = round % 2 === 0;
    const first = await input.run(baseFirst ? "base" : "next", round);
    const second = await input.run(baseFirst ? "next" : "base", round);
    if (stopped()) break;
    base.push(baseFirst ? first : second);
    next.push(baseFirst ? second : first);
  }
  return { base, next };
}
