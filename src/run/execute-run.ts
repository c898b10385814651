import { join } from "node:path";
import { HarnessFault } from "../conformance/judging/harness-fault.ts";
import { boundTime, type TimeBound } from "./bound-time.ts";
import type { Exchange } from "../core/exchange/exchange.ts";
import type { Result } from "../core/result/result.ts";
import { keepRecord, keepUnfinished } from "./keep-record.ts";
import { maskRecord } from "./record/mask-record.ts";
import { maskOf, noManifest, type OpenRun, openRun } from "./open-run.ts";
import type { ReporterOutcome } from "../report/reporters/run-reporters.ts";
import { runConformanceStage } from "./stages/conformance-stage.ts";
import { discoverModels } from "./stages/discover-models.ts";
import { describeFault } from "./verdict/describe-fault.ts";
import type { MeasuredLoad } from "./verdict/find-load-findings.ts";
import { judgeRun } from "./record/judge-run.ts";
import { readLedger } from "./record/read-ledger.ts";
import { planByAnswers, runLimitsStage } from "./stages/limits-stage.ts";
import { runLoadStage } from "./stages/load-stage.ts";
import { type OpenTarget, openTarget } from "./open-target.ts";
import { finishPending, reportUnrestored } from "./pending-settings.ts";
import { createLoadPlans, type LoadPlans } from "./stages/load-plans.ts";
import { planParts } from "./stages/plan-parts.ts";
import { checkControl } from "./check-control.ts";
import { whyNotMeasured } from "./not-measured.ts";
import { preflight } from "./stages/preflight.ts";
import type { RunOptions, Stage } from "./run-options.ts";
import type { RunRecord } from "./record/run-record.ts";
import type { RunSession } from "./run-session.ts";
import { writeReports } from "./record/write-reports.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { OutcomeClass } from "../core/result/load-outcome.ts";
import type { LoadResult } from "../core/result/load-result.ts";
import { casesOfRun } from "./cases-of-run.ts";
import { planConformance } from "../conformance/plan/plan-conformance.ts";
import { limitProbes } from "../limits/exam/limit-probes.ts";
import { mostRequests } from "../limits/probe/schedule-steps.ts";
import { selectSuites } from "./select-suites.ts";

/** Each request is repeated twice at most, and a case once more to confirm what it showed. */
const sendsOfOne = 2 * 3;
/** Requests beside those of cases: looks at the target, and reports that are asked for again until they have settled. */
const besideCases = 400;

/**
 * The options with a bound on requests where the manifest sets none: what the stages plan at most, so that no target draws more out
 * of a run. A closed loop sends as many as are answered, and bursts sized by a limit that nobody declared as many as the target
 * says: there time alone is the bound. Agents take their shares of what the manifest sets.
 */
export function boundRequests(options: RunOptions, plans: LoadPlans): RunOptions {
  const { manifest, agents } = options;
  if (manifest === null || manifest.budget.maxRequests !== null || agents !== undefined) return options;
  const maxRequests = mostOf(options, manifest, plans);
  return maxRequests === null ? options : { ...options, manifest: { ...manifest, budget: { ...manifest.budget, maxRequests } } };
}

function mostOf(options: RunOptions, manifest: NonNullable<RunOptions["manifest"]>, plans: LoadPlans): number | null {
  const { stages, cases, requirements, profiles } = options;
  const { cost } = planConformance(casesOfRun(options), manifest, { suites: selectSuites(options), cases, requirements });
  const before = stages.includes("conformance") ? sendsOfOne * cost.requests : 0;
  const exams = stages.includes("limits") ? Object.keys(limitProbes).length * mostRequests : 0;
  const load = profiles.map((loaded) => {
    const { worstCase, problem } = plans(loaded, manifest);
    return problem === null ? worstCase.requests : null;
  });
  return load.reduce<number | null>(
    (sum, requests) => (sum === null || requests === null ? null : sum + requests),
    besideCases + before + exams,
  );
}

/** Pause, so that this request shares no second with the last of the load, whose rate may be all that is permitted. */
const pauseMs = 1_000;

/** Requests that stayed without an answer. */
const lostOutcomes: readonly OutcomeClass[] = ["transport-error", "timed-out", "interrupted"];

/**
 * Asks the target once more after a load of which some requests stayed without an answer. A closed loop sends nothing while it
 * waits: a target that stops answering half way costs it one request, and a small share of errors says nothing about the rest.
 */
async function confirmAnswering(session: RunSession, { manifest, clock, server }: OpenTarget, load: LoadResult): Promise<void> {
  const { signal, onProgress } = session.options;
  const last = load.profiles.at(-1);
  const lost = lostOutcomes.reduce((sum, outcome) => sum + (last?.outcomes[outcome] ?? 0), 0);
  if (server !== null || lost === 0 || signal.aborted) return;
  await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return;
  const wire = session.openWire(manifest, clock);
  try {
    // Whether it answers is all that is asked; a refusal by a limit that the load has used up is an answer.
    const { refusal } = await preflight(manifest, wire, { onProgress, signal, clock, stages: ["conformance"] });
    if (refusal !== null) session.invalidBecause.push(`the target stopped answering during load ${last?.id}: ${refusal}`);
  } finally {
    await wire.close();
  }
}

export interface RunOutcome {
  readonly result: Result;
  readonly folder: string;
  readonly reports: readonly ReporterOutcome[];
  /** Settings of the target that are still changed; each says how to put them back. */
  readonly unrestored: readonly string[];
}

function nameTarget({ manifest }: RunOptions): string {
  if (manifest === null) return "the embedded reference service";
  const { name, baseUrl } = manifest.target;
  return baseUrl.includes(name) ? baseUrl : `${name} ${baseUrl}`;
}

/**
 * One run from plan to reports. The judgements so far are written in every case (an interrupt, a dead target, a fault of ours).
 * Rejects only when not even a run folder can be made. `plans`: of its profiles, where they were asked for before.
 */
export async function executeRun(asked: RunOptions, plans: LoadPlans = createLoadPlans(asked.seed)): Promise<RunOutcome> {
  const time = boundTime(boundRequests(asked, plans), asked.manifest ?? noManifest);
  const { options } = time;
  options.onProgress({ kind: "note", text: `target: ${nameTarget(options)}` });
  if (options.manifest !== null) options.onProgress({ kind: "note", text: `worst case of this run: ${time.words}` });
  const run = openRun(options);
  const { session, results, folder } = run;
  const endRecorder = options.challengeRecorder?.({
    runId: run.runId,
    startedAt: run.startedAt.toISOString(),
    folder,
    command: options.command,
    heads: () => session.heads(),
  });
  try {
    await runStages(run, time, plans);
  } catch (error) {
    if (!options.signal.aborted || error instanceof HarnessFault) results.internalError = describeFault(error);
  }
  time.release();
  const exceeded = time.exceeded();
  if (exceeded !== null) session.invalidBecause.push(exceeded);
  const unrestored = reportUnrestored(session);
  const { record, unwritten } = await keepRecord(run, endRecorder);
  // In the order of the record: under concurrency answers end in another, and what is cited of many would differ when it is judged again.
  const evidence = session.exchanges.toSorted((one, other) => one.seq - other.seq);
  const result = await judge(run, { record, evidence, unwritten });
  const reports = await writeReports({ result, evidence, folder, reporters: options.reporters });
  return { result, folder, reports, unrestored };
}

/** Stages fail alone: one that this machine cannot measure leaves those that were measured, and those that follow, as they are. */
async function runStages(run: OpenRun, time: TimeBound, plans: LoadPlans): Promise<void> {
  const { options } = run.session;
  const wants = (stage: Stage): boolean => options.stages.includes(stage) && !options.signal.aborted;
  let part: AnswerStages = { goesOn: true, endedMs: 0 };
  if (wants("conformance") || wants("limits")) {
    const words = options.stages.filter((stage) => stage !== "load").join(" and ");
    part = (await measure(run, words, () => runAnswerStages(run, wants, plans))) ?? part;
  }
  if (!part.goesOn || !wants("load")) return;
  time.beginLoad();
  await measure(run, "load", () => runLoad(run, plans, part.endedMs));
}

/** null: this machine could not measure it, and the run says why. */
async function measure<Value>({ session }: OpenRun, stages: string, run: () => Promise<Value>): Promise<Value | null> {
  try {
    return await run();
  } catch (error) {
    const reason = whyNotMeasured(error);
    if (reason === null) throw error;
    session.invalidBecause.push(`${stages} could not be measured: ${reason}`);
    return null;
  }
}

interface AnswerStages {
  /** Whether the stages that follow have a target to measure. */
  readonly goesOn: boolean;
  /** By the clock of the target, which that of the next stage goes on from. */
  readonly endedMs: number;
}

/** Keeps what is known when it is known what is measured, before the first request, and when its models are known. */
async function runAnswerStages(run: OpenRun, wants: (stage: Stage) => boolean, plans: LoadPlans): Promise<AnswerStages> {
  const { session, results } = run;
  const { options } = session;
  await checkControl(options.manifest);
  const target = await openTarget(options, { latency: "instant", time: "virtual", wall: session.wall });
  const ended = (goesOn: boolean): AnswerStages => ({ goesOn, endedMs: target.clock.nowMs() });
  try {
    results.manifest = target.manifest;
    results.server = target.server;
    keepUnfinished(run);
    const ready = await prepareTarget(session, target);
    if (ready === null) return ended(false);
    results.manifest = ready.manifest;
    keepUnfinished(run);
    const limits = wants("limits") ? await planByAnswers(session, ready) : null;
    options.onProgress({ kind: "run-started", parts: planParts(options, ready.manifest, limits, plans) });
    if (wants("conformance")) results.conformance = await runConformanceStage(session, ready);
    if (results.conformance?.refused === true) return ended(false);
    if (wants("limits") && limits !== null) results.limitsNotJudged = await runLimitsStage(session, ready, limits);
    return ended(true);
  } finally {
    await target.close();
  }
}

async function runLoad(run: OpenRun, plans: LoadPlans, beginsAtMs: number): Promise<void> {
  const { session, results } = run;
  const { options } = session;
  const target = await openTarget(options, { latency: "realistic", time: "real", beginsAtMs, wall: session.wall });
  try {
    const ready = results.manifest !== null && options.manifest !== null ? { ...target, manifest: results.manifest } : target;
    const isFirst = results.manifest === null;
    results.manifest ??= target.manifest;
    results.server ??= target.server;
    keepUnfinished(run);
    const prepared = await prepareTarget(session, ready);
    if (prepared === null) return;
    if (isFirst) results.manifest = prepared.manifest;
    keepUnfinished(run);
    results.load = await runLoadStage(session, prepared, plans);
    await confirmAnswering(session, prepared, results.load);
  } finally {
    await target.close();
  }
}

/** Sees whether the target answers, puts back what a crashed run left changed, chooses models; null: nothing can be measured. */
async function prepareTarget(session: RunSession, target: OpenTarget): Promise<OpenTarget | null> {
  const { manifest, clock } = target;
  // The embedded service has announced itself, its manifest names its models, and nobody has changed it before.
  if (target.server !== null) return target;
  const wire = session.openWire(manifest, clock);
  try {
    const { exchange, refusal } = await preflight(manifest, wire, { ...session.options, clock });
    await finishPending(session, { manifest, sender: wire, clock, refusal });
    if (refusal !== null) {
      session.invalidBecause.push(refusal);
      return null;
    }
    const discovered = discoverModels(manifest, exchange);
    session.notes.push(...discovered.notes);
    return { ...target, manifest: discovered.manifest };
  } finally {
    await wire.close();
  }
}

interface ToJudge {
  readonly record: RunRecord;
  readonly evidence: readonly Exchange[];
  readonly unwritten: readonly string[];
}

async function judge(run: OpenRun, { record, evidence, unwritten }: ToJudge): Promise<Result> {
  const { results } = run;
  const measured = maskRecord(await measuredLoad(run), maskOf(results));
  const { internalError, conformance } = results;
  const toJudge = { ...record, internalError, invalidBecause: [...record.invalidBecause, ...unwritten] };
  return judgeRun(toJudge, evidence, measured, conformance?.judged);
}

/** A stage that broke off gives no result: what it measured until then is in its ledger, and only there. */
async function measuredLoad({ session, results: { load }, folder }: OpenRun): Promise<MeasuredLoad> {
  if (load !== null || session.heads().load === null)
    return { load, loadFindings: session.loadFindings, passive: session.passive() };
  return (await readLedger(join(folder, "load.ndjson"), { strict: session.options.strict })).load;
}
