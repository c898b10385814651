import { availableParallelism } from "node:os";
import { redactManifest } from "../../config/redact-manifest.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { CalibrationResult, InstrumentAccuracy } from "../../core/result/generator-health.ts";
import type { LoadProfileResult, LoadResult } from "../../core/result/load-result.ts";
import { worstCalibration } from "../../load/generator/worst-calibration.ts";
import { describeRoom } from "../../load/plan/describe-room.ts";
import { describeWorstCase } from "../../load/plan/describe-worst-case.ts";
import type { Blocker } from "../../load/profile/blocker.ts";
import { limitScenarios } from "../../load/profile/limit-scenarios.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import type { LoadPlan } from "../../load/plan/plan-load.ts";
import { permittedRps, profileBlockers } from "../../load/plan/profile-blockers.ts";
import type { LoadedProfile } from "../../load/plan/read-profile.ts";
import { describeRepeatEnd } from "../../load/judge/describe-repeat-end.ts";
import { joinRepeats } from "../../load/judge/join-repeats.ts";
import { createPacedSender } from "../../load/send/paced-sender.ts";
import { allocateRateAllowance } from "../../load/send/rate-allowance.ts";
import { runLoadProfile } from "../../load/run-load-profile.ts";
import { chooseWorkers } from "../../load/workers/choose-workers.ts";
import { measureRoundTrips } from "../../wire/connect/measure-round-trips.ts";
import { createRedactor } from "../../wire/redaction/redaction.ts";
import type { OpenTarget } from "../open-target.ts";
import { logWatch } from "../record/log-watch.ts";
import type { RunSession } from "../run-session.ts";
import { withSpendRoom } from "../traffic/spend-room.ts";
import { finishWatch, type LimitWatch, type WatchedLimits } from "../traffic/watch-limits.ts";
import { watchProfile } from "../traffic/watch-profile.ts";
import { chooseClock, type LoadClocks, openClocks } from "./load-clocks.ts";
import type { LoadPlans } from "./load-plans.ts";
import { auditCache } from "./audit-cache.ts";
import { learnTemplate } from "./learn-template.ts";
import { measureInstrument } from "./measure-instrument.ts";
import { type Instrument, openInstrument } from "./open-instrument.ts";
import { type RunningProbe, startProbe } from "../workers/start-probe.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Sender } from "../../core/exchange/send-request.ts";
import { shapeOf } from "../../load/arrivals/arrival-kinds.ts";
import { loadKeyName } from "../../load/profile/load-key-name.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import type { LoadWorkers } from "../../load/workers/load-workers.ts";
import { createSharedCounters } from "../../wire/budget/budget-counters.ts";
import { readToolVersion } from "../tool-version.ts";
import { createThreadWorkers } from "../workers/thread-workers.ts";

/** The parts that the profiles of a run have in common. */
interface LoadTarget extends OpenTarget {
  readonly clocks: LoadClocks;
  readonly instrument: Instrument;
  readonly allowance: SharedArrayBuffer | null;
  readonly plans: LoadPlans;
}

/** Opened before the load for the round trip of the network. */
const networkConnections = 5;

/** A profile as it is sent. */
interface PlannedProfile extends LoadedProfile {
  /** The manifest with the facts that were learned for it. */
  readonly manifest: Manifest;
  readonly plan: LoadPlan;
}

/** Runs the load profiles one after the other. */
export async function runLoadStage(session: RunSession, target: OpenTarget, plans: LoadPlans): Promise<LoadResult> {
  const { options } = session;
  const record = (accuracy: InstrumentAccuracy): void => session.ledger().write({ kind: "calibration", ...accuracy });
  const instrument = await openInstrument((mostTries) => calibrateFor(session, mostTries), record);
  const { accuracy } = instrument;
  record(accuracy);
  if (accuracy.uncalibrated !== undefined) options.onProgress({ kind: "note", text: accuracy.uncalibrated });
  const profiles: LoadProfileResult[] = [];
  const clocks = openClocks(target);
  // Profiles follow each other within a second.
  const allowance = allocateRateAllowance(permittedRps(target.manifest));
  for (const loaded of options.profiles) {
    if (options.signal.aborted) break;
    if (isNarrow(profiles, loaded)) continue;
    try {
      profiles.push(await runProfile(session, { ...target, clocks, instrument, allowance, plans }, loaded));
    } catch (error) {
      // An objection to a profile is reported before anything of it is sent.
      if (!(error instanceof RangeError)) throw error;
      session.invalidBecause.push(`load ${loaded.profile.id}: ${error.message}`);
    }
  }
  return { profiles: joinRepeats(profiles), ...instrument.accuracy };
}

/** Whether the runs of this profile so far say enough: the others that were planned are not sent. */
function isNarrow(profiles: readonly LoadProfileResult[], { profile }: LoadedProfile): boolean {
  const runs = profiles.filter(({ repeat }) => repeat !== undefined && repeat.of === profile.repeat?.of);
  return runs.length > 0 && describeRepeatEnd(runs)?.reason === "narrow";
}

async function runProfile(session: RunSession, target: LoadTarget, loaded: LoadedProfile): Promise<LoadProfileResult> {
  const { profile } = loaded;
  const { seed, signal, onProgress, agents } = session.options;
  const { instrument, allowance } = target;
  const { accuracy } = instrument;
  const isOneLoop = profile.workers === 1 && agents === undefined && profile.probe === undefined;
  const time = chooseClock(profile, target.clocks, isOneLoop ? "one" : "several");
  const wire = session.openWire(target.manifest, time.clock);
  let probe: RunningProbe | null = null;
  try {
    const paced = createPacedSender({ sender: wire, allowance, clock: time.clock, scheduled: false, stopped: () => signal });
    const isSolvable = findObstacles(profile, target.manifest, target.plans(loaded, target.manifest)).length === 0;
    const manifest = isSolvable ? await learnRequestLimit(profile, target.manifest, paced) : target.manifest;
    const note = (text: string): void => {
      session.notes.push(text);
      onProgress({ kind: "note", text });
    };
    const learned = mayRun(profile, manifest, target.plans(loaded, manifest))
      ? await learnTemplate({ profile, manifest, sender: paced, seed, note })
      : profile;
    const planned = planProfile(session, target, { ...loaded, profile: learned }, manifest);
    const isPermitted = mayRun(learned, manifest, planned.plan);
    const cacheAudit =
      isPermitted && learned.cacheAudit
        ? await auditCache({ profile: learned, manifest, sender: paced, clock: time.clock, seed, signal })
        : null;
    // Those of agents are their own.
    const roundTripsMs =
      isPermitted && agents === undefined ? await measureRoundTrips(manifest.target.baseUrl, networkConnections) : [];
    const workerCount = countWorkers(session, planned, accuracy.calibration);
    announce(session, planned, workerCount);
    const watch = openWatch(session, planned);
    const workers = openLoadWorkers(session, manifest, workerCount, watch.onOp);
    const budget = session.budgetOf(manifest);
    if (isPermitted && learned.probe !== undefined)
      probe = await startProbe({
        profile: { ...learned, probe: learned.probe },
        manifest,
        clock: time.clock,
        budget,
        seq: session.lastSeq,
        allowance,
        signal,
      });
    const endBeside = async (): Promise<void> => {
      for (const exchange of (await probe?.finish()) ?? []) {
        session.keep(exchange, manifest);
        watch.onProbe(exchange);
      }
    };
    const watched = (): WatchedLimits => finishWatch(watch, workers?.agents?.() ?? []);
    const input = {
      ...planned,
      ...time,
      sender: wire,
      seed,
      signal,
      onProgress,
      onExchange: watch.onExchange,
      watched,
      ...accuracy,
      recalibrate: () => instrument.again(),
      allowance,
      workers,
      ledger: session.ledger().sink,
      budget,
      onSent: () => probe?.stop(),
      endBeside,
      repeatsLate: true,
      ...(roundTripsMs.length === 0 ? {} : { roundTripsMs }),
      ...(cacheAudit === null ? {} : { cacheAudit }),
    };
    const { journal } = session;
    const run = (): Promise<LoadProfileResult> => runLoadProfile(input);
    const result = crossesCap(profile) ? await withSpendRoom({ ...input, journal }, run) : await run();
    session.loadFindings.push(...watched().findings);
    return result;
  } finally {
    await probe?.abandon();
    await wire.close();
    await session.settleLoad();
  }
}

/** Blockers that no limit of the target takes away: a schedule may be missing until that is known. */
function findObstacles(profile: LoadProfile, manifest: Manifest, plan: LoadPlan): readonly Blocker[] {
  return profileBlockers(profile, manifest, plan).filter(({ code }) => code !== "no-schedule");
}

/** A profile that is refused sends nothing beforehand, either. */
function mayRun(profile: LoadProfile, manifest: Manifest, plan: LoadPlan): boolean {
  return profileBlockers(profile, manifest, plan).length === 0;
}

function planProfile(session: RunSession, { plans }: LoadTarget, loaded: LoadedProfile, manifest: Manifest): PlannedProfile {
  const { profile, trace } = loaded;
  const plan = plans(loaded, manifest);
  if (plan.problem !== null) session.invalidBecause.push(`load ${profile.id}: ${plan.problem}`);
  return { profile, trace, manifest, plan };
}

function countWorkers({ options }: RunSession, { profile, plan }: PlannedProfile, calibration: CalibrationResult | null): number {
  if (options.agents !== undefined) return options.agents.machines.length;
  return chooseWorkers(profile, plan, calibration?.ceiling ?? null, availableParallelism());
}

function announce({ options }: RunSession, { profile, manifest, plan }: PlannedProfile, workerCount: number): void {
  const { agents, onProgress } = options;
  const many = agents === undefined ? "workers" : "agents";
  const title = `${profile.id}, ${plan.arrivals}${workerCount > 1 ? `, ${workerCount} ${many}` : ""}`;
  const plannedRequests = plan.attempts === null ? null : plan.sends.length;
  onProgress({ kind: "stage-started", stage: "load", title, plannedRequests, etaMs: plan.durationMs });
  // The embedded service costs nothing.
  if (options.manifest !== null)
    onProgress({ kind: "note", text: `${profile.id}: ${describeWorstCase(plan, manifest.budget, profile)}` });
  const room = describeRoom(profile, plan);
  if (room !== null) onProgress({ kind: "note", text: `${profile.id}: ${room}` });
}

/** The judges of limits, whose traffic goes to the ledger. */
function openWatch(session: RunSession, { profile, manifest }: PlannedProfile): LimitWatch {
  const shown = redactManifest(manifest);
  return logWatch({
    watch: watchProfile(profile, shown, session.options.strict),
    write: session.ledger().write,
    manifest: shown,
    mask: createRedactor(manifest).maskDeep,
    whole: crossesCap(profile),
  });
}

function crossesCap({ limitScenario }: LoadProfile): boolean {
  return limitScenario !== null && limitScenarios[limitScenario].crossesCap;
}

async function calibrateFor({ options }: RunSession, mostTries?: number): Promise<InstrumentAccuracy> {
  const { seed, signal, agents } = options;
  if (agents !== undefined) {
    const named = agents.machines.map(({ name, calibration }) => ({
      ...calibration,
      doubts: calibration.doubts?.map((doubt) => `agent ${name}: ${doubt}`) ?? [],
    }));
    return { calibration: worstCalibration(named) };
  }
  return measureInstrument({ seed, signal, ...(mostTries !== undefined && { mostTries }) });
}

/**
 * The manifest with the request limit that the target reports in its headers, for profiles whose bursts are sized by it; as it is
 * for all others, when the limit is declared, or when the target does not say.
 */
async function learnRequestLimit(profile: LoadProfile, manifest: Manifest, sender: Pick<Sender, "send">): Promise<Manifest> {
  const shape = shapeOf(profile.arrivals);
  const learns = shape.name === "open" && shape.learnsLimit === true;
  if (!learns || manifest.limits.requestsPerMinute !== null) return manifest;
  const key = loadKeyName(profile.key, manifest);
  const exchange = await sender.send({
    stage: "setup",
    caseId: "learn-request-limit",
    label: key,
    intent: { kind: "housekeeping", purpose: "size of bursts" },
    endpoint: "models",
    method: "GET",
    path: "/v1/models",
    credential: { kind: "bearer", key },
  });
  const { limit } = factsOf(exchange).rateLimit.requests;
  return limit === null ? manifest : { ...manifest, limits: { ...manifest.limits, requestsPerMinute: limit } };
}

/** The agents of the run, else so many threads; null where the loop of this thread sends all. */
function openLoadWorkers(
  session: RunSession,
  manifest: Manifest,
  workerCount: number,
  onOp: (op: LimitOp) => void,
): LoadWorkers | null {
  const { agents } = session.options;
  if (agents === undefined && workerCount <= 1) return null;
  const { budget, seq, evidence, onExchange, onPassive, onTransportRaces } = session.lend(manifest);
  const judge = { evidence, onExchange, onOp, onPassive };
  if (agents === undefined) return createThreadWorkers({ workerCount, budget, seq, judge, onTransportRaces });
  return agents.createWorkers({
    ...judge,
    version: readToolVersion(),
    counters: createSharedCounters(budget),
    seq: new Int32Array(seq),
    onTransportRaces,
  });
}
