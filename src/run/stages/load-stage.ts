import type { CalibrationResult } from "../../core/result/generator-health.ts";
import type { LoadProfileResult, LoadResult } from "../../core/result/load-result.ts";
import { availableParallelism } from "node:os";
import type { Clock } from "../../core/clock.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { shapeOf } from "../../load/arrivals/arrival-kinds.ts";
import { calibrate } from "../../load/generator/calibrate.ts";
import { chooseWorkers } from "../../load/workers/choose-workers.ts";
import { worstCalibration } from "../../load/generator/worst-calibration.ts";
import type { LoadWorkers } from "../../load/workers/load-workers.ts";
import { describeWorstCase } from "../../load/profile/describe-worst-case.ts";
import { limitScenarios } from "../../load/profile/limit-scenarios.ts";
import { createPacedSender } from "../../load/send/paced-sender.ts";
import { loadKeyName } from "../../load/profile/load-key-name.ts";
import { permittedRps } from "../../load/profile/profile-blockers.ts";
import { allocateRateAllowance } from "../../load/send/rate-allowance.ts";
import type { LoadedProfile } from "../../load/profile/read-profile.ts";
import { runLoadProfile } from "../../load/send/run-load-profile.ts";
import { createSharedCounters } from "../../wire/budget/budget-counters.ts";
import { createRedactor } from "../../wire/redaction/redaction.ts";
import { ControlClock } from "../../wire/clock/control-clock.ts";
import { createRealClock } from "../../wire/clock/real-clock.ts";
import type { LoadPlans } from "./load-plans.ts";
import { measureInstrument } from "./measure-instrument.ts";
import type { OpenTarget } from "../open-target.ts";
import type { RunSession } from "../run-session.ts";
import { withSpendRoom } from "../traffic/spend-room.ts";
import { redactManifest } from "../../config/redact-manifest.ts";
import { logWatch } from "../record/log-watch.ts";
import { createAgentWorkers } from "../agents/agent-workers.ts";
import type { ChosenAgents } from "../agents/choose-agents.ts";
import { readToolVersion } from "../tool-version.ts";
import { createThreadWorkers } from "../workers/thread-workers.ts";
import { watchProfile } from "../traffic/watch-profile.ts";
import { finishWatch, type WatchedLimits } from "../traffic/watch-limits.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Sender } from "../../core/exchange/send-request.ts";

/** Runs the load profiles one after the other. */
export async function runLoadStage(session: RunSession, target: OpenTarget, plans: LoadPlans): Promise<LoadResult> {
  const { options } = session;
  const calibration = await calibrateFor(session, target);
  session.ledger().write({ kind: "calibration", calibration });
  const profiles: LoadProfileResult[] = [];
  const clocks = openClocks(target);
  // Profiles follow each other within a second.
  const allowance = allocateRateAllowance(permittedRps(target.manifest));
  for (const loaded of options.profiles) {
    if (options.signal.aborted) break;
    try {
      profiles.push(await runProfile(session, { ...target, clocks, calibration, allowance, plans }, loaded));
    } catch (error) {
      // What stands against a profile is reported before anything of it is sent.
      if (!(error instanceof RangeError)) throw error;
      session.invalidBecause.push(`load ${loaded.profile.id}: ${error.message}`);
    }
  }
  return { profiles, calibration };
}

async function runProfile(
  session: RunSession,
  target: OpenTarget & {
    readonly clocks: LoadClocks;
    readonly calibration: CalibrationResult | null;
    readonly allowance: SharedArrayBuffer | null;
    readonly plans: LoadPlans;
  },
  loaded: LoadedProfile,
): Promise<LoadProfileResult> {
  const { profile, trace } = loaded;
  const { seed, signal, onProgress } = session.options;
  const { agents } = session.options;
  const several = profile.workers !== 1 || agents !== undefined;
  // Windows and cooldowns are waited for on the clock of the service where it lends it; latencies are real time.
  const shape = shapeOf(profile.arrivals);
  const { limitScenario } = profile;
  const jumps = limitScenario !== null && shape.name === "open" && shape.hasSilences === true;
  const crossesCap = limitScenario !== null && limitScenarios[limitScenario].crossesCap;
  const virtual = !several && jumps ? target.clocks.virtual : null;
  const clock = virtual ?? target.clocks.real;
  const wire = session.openWire(target.manifest, clock);
  try {
    const { allowance } = target;
    const manifest =
      shape.name === "open" && shape.learnsLimit === true
        ? await learnRequestLimit(
            target.manifest,
            loadKeyName(profile.key, target.manifest),
            createPacedSender({ sender: wire, allowance, clock, scheduled: false, stopped: () => signal }),
          )
        : target.manifest;
    const plan = target.plans(loaded, manifest);
    if (plan.problem !== null) session.invalidBecause.push(`load ${profile.id}: ${plan.problem}`);
    const ceiling = target.calibration?.ceiling ?? null;
    const workerCount =
      agents === undefined ? chooseWorkers(profile, plan, ceiling, availableParallelism()) : agents.cards.length;
    const many = agents === undefined ? "workers" : "agents";
    const title = `${profile.id}, ${plan.arrivals}${workerCount > 1 ? `, ${workerCount} ${many}` : ""}`;
    const plannedRequests = plan.attempts === null ? null : plan.sends.length;
    onProgress({ kind: "stage-started", stage: "load", title, plannedRequests, etaMs: plan.durationMs });
    onProgress({ kind: "note", text: `${profile.id}: ${describeWorstCase(plan, manifest.budget, profile)}` });
    const { write, sink } = session.ledger();
    const shown = redactManifest(manifest);
    const watch = logWatch({
      watch: watchProfile(profile, shown, session.options.strict),
      write,
      manifest: shown,
      mask: createRedactor(manifest).maskDeep,
      whole: crossesCap,
    });
    const { onExchange, onOp } = watch;
    const threads = agents === undefined && workerCount > 1 ? openWorkers(session, manifest, workerCount, onOp) : null;
    const workers = agents === undefined ? threads : openAgents(session, agents, manifest, onOp);
    const watched = (): WatchedLimits => finishWatch(watch, workers?.agents?.() ?? []);
    const virtualTime = virtual !== null;
    const input = {
      profile,
      manifest,
      sender: wire,
      clock,
      virtualTime,
      seed,
      onProgress,
      onExchange,
      watched,
      calibration: target.calibration,
      allowance,
      workers,
      signal,
      ledger: sink,
      budget: session.budgetOf(manifest),
      trace,
      plan,
    };
    const run = (): Promise<LoadProfileResult> => runLoadProfile(input);
    const { journal } = session;
    const result = crossesCap ? await withSpendRoom({ ...input, journal }, run) : await run();
    session.loadFindings.push(...watched().findings);
    return result;
  } finally {
    await wire.close();
  }
}

function openWorkers(session: RunSession, manifest: Manifest, workerCount: number, onOp: (op: LimitOp) => void): LoadWorkers {
  const { budget, seq, evidence, onExchange, onPassive, onTransportRaces } = session.lend(manifest);
  return createThreadWorkers({ workerCount, budget, seq, judge: { evidence, onExchange, onOp, onPassive }, onTransportRaces });
}

function openAgents(session: RunSession, chosen: ChosenAgents, manifest: Manifest, onOp: (op: LimitOp) => void): LoadWorkers {
  const { budget, seq, evidence, onExchange, onPassive, onTransportRaces } = session.lend(manifest);
  return createAgentWorkers({
    chosen,
    version: readToolVersion(),
    counters: createSharedCounters(budget),
    seq: new Int32Array(seq),
    evidence,
    onExchange,
    onOp,
    onPassive,
    onTransportRaces,
  });
}

interface LoadClocks {
  /** Its sleeps take their time. */
  readonly real: Clock;
  /** Its sleeps move the clock of the service; null where the target lends none. */
  readonly virtual: Clock | null;
}

/** Both show the same time, so that a profile in real time can follow one that moved the clock of the service. */
function openClocks(target: OpenTarget): LoadClocks {
  const { control } = target.manifest;
  if (control === null) return { real: target.clock, virtual: null };
  const virtual = new ControlClock(control, target.clock.nowMs());
  const local = createRealClock();
  const real: Clock = {
    nowMs: () => virtual.nowMs(),
    wallMs: () => virtual.wallMs(),
    sleep: (ms, signal) => local.sleep(ms, signal),
  };
  return { real, virtual };
}

/** The embedded service is a gauge itself; beside any other target one is started for a moment. */
async function calibrateFor({ options }: RunSession, target: OpenTarget): Promise<CalibrationResult | null> {
  const { seed, signal, agents } = options;
  if (agents !== undefined) {
    const named = agents.cards.map(({ name, calibration }) => ({
      ...calibration,
      doubts: calibration.doubts?.map((doubt) => `agent ${name}: ${doubt}`) ?? [],
    }));
    return worstCalibration(named);
  }
  if (target.server === null) return measureInstrument({ seed, signal });
  return calibrate({ manifest: target.manifest, clock: target.clock, seed, signal });
}

/**
 * The manifest with the request limit that the target reports in its headers, for profiles whose bursts are sized by it; as it is
 * when the limit is declared or the target does not say.
 */
async function learnRequestLimit(manifest: Manifest, key: string, sender: Sender): Promise<Manifest> {
  if (manifest.limits.requestsPerMinute !== null) return manifest;
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
