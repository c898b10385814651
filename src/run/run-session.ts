import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { allJudges } from "../conformance/judges/all-judges.ts";
import type { JudgeContext } from "../conformance/judging/judge.ts";
import { createPassiveValidator, type PassiveCounts, type PassiveValidator } from "../conformance/verdict/passive-validator.ts";
import type { Clock } from "../core/clock.ts";
import type { Exchange, RecordedBody } from "../core/exchange/exchange.ts";
import type { Finding } from "../core/result/finding.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Result } from "../core/result/result.ts";
import type { EvidenceWriter } from "../evidence/evidence-writer.ts";
import { createFileJournal } from "../settings/file-journal.ts";
import { createMemoryJournal, type ReadableJournal } from "../settings/settings-journal.ts";
import { createBudget, type Budget } from "../wire/budget/budget.ts";
import { allocateSharedCounters, createSharedCounters } from "../wire/budget/budget-counters.ts";
import { readWallOffset } from "../wire/clock/wall-offset.ts";
import { createCaptureAccount } from "../wire/capture/capture-account.ts";
import { createWire, type Wire } from "../wire/client/wire.ts";
import { keptBytes } from "../wire/client/capture-contexts.ts";
import { createRedactor, type Redactor } from "../wire/redaction/redaction.ts";
import { maskRecord } from "./record/mask-record.ts";
import type { LedgerFile, PassiveJson } from "./record/ledger-file.ts";
import { readPassiveCounts, writePassiveCounts } from "./record/passive-json.ts";
import { createSaidLog } from "../load/ledger/said-log.ts";
import type { RunRecord } from "./record/run-record.ts";
import { openJudgeContext } from "./record/judge-context.ts";
import { createLoadSampler, type LoadSample } from "./workers/load-sampler.ts";
import type { RunOptions } from "./run-options.ts";

/** What the stages of one run share: the count of exchanges, the record, passive validation, restoring, notes. */
export interface RunSession {
  readonly options: RunOptions;
  readonly exchanges: readonly Exchange[];
  readonly journal: ReadableJournal;
  readonly notes: string[];
  /** What limit checks proved while load was on; its records are not kept. */
  readonly loadFindings: Finding[];
  /** Reasons for which the run as a whole says nothing. */
  readonly invalidBecause: string[];
  /** A wire whose exchanges are numbered, judged passively and recorded. */
  openWire(manifest: Manifest, clock: Clock): Wire;
  /** What a target may be sent in this run, over all wires and beside them. */
  budgetOf(manifest: Manifest): Budget;
  /** What the workers of other threads need to send within this run, and where they hand over what they saw. */
  lend(manifest: Manifest): WorkerLoan;
  judgeContext(manifest: Manifest): JudgeContext;
  /** What all that is said of load follows from; created when it is first asked for. */
  ledger(): LedgerFile;
  spent(): Result["spent"];
  health(): RunRecord["health"];
  /** Answers of load that the record has no room for. */
  tooLargeToKeep(): number;
  /** What single answers under load violate; null where none was sent. */
  passive(): PassiveCounts | null;
  /** Closes the files; nothing may be sent afterwards. */
  close(): Promise<void>;
  /** Ends of the files that were written. */
  readonly heads: () => RunRecord["heads"];
}

export interface WorkerLoan {
  readonly budget: SharedArrayBuffer;
  /** Last sequence number that was given out. */
  readonly seq: SharedArrayBuffer;
  readonly evidence: LoadSample;
  readonly onExchange: (exchange: Exchange) => void;
  readonly onPassive: (counts: PassiveCounts) => void;
  readonly onTransportRaces: (count: number) => void;
}

const loadSample: LoadSample = { first: 200, failed: 500 };

export interface SessionFiles {
  /** Called with the first manifest that a wire is opened for. */
  readonly openEvidence: (manifest: Manifest) => EvidenceWriter;
  readonly openLedger: () => LedgerFile;
}

export function openRunSession(options: RunOptions, { openEvidence, openLedger }: SessionFiles): RunSession {
  let evidence: EvidenceWriter | null = null;
  let ledger: LedgerFile | null = null;
  const exchanges: Exchange[] = [];
  let validator: PassiveValidator | null = null;
  const budgets = new Map<string, Budget>();
  // Counting in shared memory costs half a microsecond a request: only where workers of other threads take part.
  const shared = options.agents !== undefined || options.profiles.some(({ profile }) => profile.workers !== 1);
  const memory = shared ? new Map<string, SharedArrayBuffer>() : null;
  const loop = watchLoop();
  const seq = new Int32Array(new SharedArrayBuffer(4));
  let transportRaces = 0;

  const openOrKnownLedger = (): LedgerFile => (ledger ??= openLedger());
  const said = createSaidLog(0, () => openOrKnownLedger().sink);
  const isSampled = createLoadSampler(loadSample);
  const isKept = (exchange: Exchange): boolean => exchange.stage !== "load" || isSampled(exchange);
  /** Of answers under load, most of which are not kept; all others are judged from the evidence. */
  const passiveOf = (manifest: Manifest): PassiveValidator =>
    (validator ??= createPassiveValidator({
      judges: allJudges,
      context: openJudgeContext(manifest),
      onAccused: (seq, judge, requirement) => said.add({ seq, judge, requirement }),
    }));
  const redactors = new Map<string, Redactor>();
  /** Messages may hold what the target sent, and that a key. */
  const shownCounts = (seen: PassiveValidator): PassiveJson => {
    const masks = [...redactors.values()].map((redactor) => redactor.maskDeep);
    return maskRecord(writePassiveCounts(seen.counts()), (text) => masks.reduce((shown, mask) => mask(shown), text));
  };
  const countersOf = (manifest: Manifest): SharedArrayBuffer | null => {
    const { baseUrl } = manifest.target;
    const counters = memory?.get(baseUrl) ?? (memory === null ? null : allocateSharedCounters());
    if (counters !== null) memory?.set(baseUrl, counters);
    return counters;
  };
  const budgetOf = (manifest: Manifest): Budget => {
    const { baseUrl } = manifest.target;
    const counters = countersOf(manifest);
    const budget = budgets.get(baseUrl) ?? createBudget(manifest, counters === null ? undefined : createSharedCounters(counters));
    budgets.set(baseUrl, budget);
    return budget;
  };
  const account = createCaptureAccount(keptBytes);
  let tooLarge = 0;
  const redactorOf = (manifest: Manifest): Redactor => {
    const { baseUrl } = manifest.target;
    const redactor = redactors.get(baseUrl) ?? createRedactor(manifest);
    redactors.set(baseUrl, redactor);
    return redactor;
  };
  const keep = (seen: Exchange, log: EvidenceWriter, redactor: Redactor): void => {
    if (!isKept(seen)) return;
    // Under load all but what is kept is masked in a hurry.
    const exchange = seen.stage === "load" ? maskRecord(seen, redactor.maskDeep) : seen;
    // What is judged from the record was counted as it came; of load only this sample is kept.
    if (exchange.stage === "load" && !account.take(sizeOfExchange(exchange))) {
      tooLarge += 1;
      return;
    }
    exchanges.push(exchange);
    // A disk that lags holds up the conformance stages, not memory; load must not wait.
    if (!log.append(exchange) && exchange.stage !== "load") log.flushSync();
  };
  const openWire = (manifest: Manifest, clock: Clock): Wire => {
    const log = (evidence ??= openEvidence(manifest));
    return createWire({
      manifest,
      clock,
      budget: budgetOf(manifest),
      account,
      nextSeq: () => Atomics.add(seq, 0, 1) + 1,
      onExchange: (exchange) => {
        if (exchange.stage === "load") passiveOf(manifest).observe(exchange);
        if (exchange.failure?.kind === "reused-connection-closed") transportRaces += 1;
        keep(exchange, log, redactorOf(manifest));
      },
    });
  };
  const lend = (manifest: Manifest): WorkerLoan => {
    const log = (evidence ??= openEvidence(manifest));
    const budget = countersOf(manifest);
    if (budget === null) throw new Error("no profile of this run has workers or agents");
    return {
      budget,
      seq: seq.buffer,
      evidence: loadSample,
      onExchange: (exchange) => keep(exchange, log, redactorOf(manifest)),
      onPassive: (counts) => passiveOf(manifest).absorb(counts),
      onTransportRaces: (count) => {
        transportRaces += count;
      },
    };
  };
  return {
    options,
    exchanges,
    // The embedded service ends with the run, and its settings with it.
    journal: options.manifest === null ? createMemoryJournal() : createFileJournal(options.outDir),
    notes: [],
    loadFindings: [],
    invalidBecause: [],
    openWire,
    budgetOf,
    lend,
    judgeContext: openJudgeContext,
    ledger: openOrKnownLedger,
    passive: () => (validator === null ? null : readPassiveCounts(shownCounts(validator))),
    tooLargeToKeep: () => tooLarge,
    spent: () => sumSpent([...budgets.values()].map((one) => one.spent())),
    async close() {
      const interrupted = options.interruptedBy() !== null;
      said.close();
      if (ledger !== null && validator !== null) ledger.write({ kind: "passive", counts: shownCounts(validator) });
      const closed = await Promise.allSettled([evidence?.close({ interrupted }), ledger?.close(interrupted)]);
      for (const one of closed) if (one.status === "rejected") throw one.reason;
    },
    heads: () => ({ evidence: evidence?.head() ?? null, load: ledger?.head() ?? null }),
    health: () => {
      const { utilization, delayMaxMs } = loop();
      const offset = readWallOffset(exchanges.filter((exchange) => exchange.stage !== "load"));
      return {
        loopUtilization: utilization,
        loopDelayMaxMs: delayMaxMs,
        clockOffsetMs: offset === null || offset.split ? null : [offset.lowMs, offset.highMs],
        transportRaces,
      };
    },
  };
}

function watchLoop(): () => { readonly utilization: number; readonly delayMaxMs: number } {
  const before = performance.eventLoopUtilization();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return () => {
    delay.disable();
    return {
      utilization: Math.round(performance.eventLoopUtilization(before).utilization * 1000) / 1000,
      delayMaxMs: Math.round(delay.max / 1e4) / 100,
    };
  };
}

function sumSpent(all: readonly Result["spent"][]): Result["spent"] {
  const sum = (member: keyof Result["spent"]): number => all.reduce((total, one) => total + one[member], 0);
  return {
    requests: sum("requests"),
    promptTokens: sum("promptTokens"),
    completionTokens: sum("completionTokens"),
    estimatedUsd: Math.round(sum("estimatedUsd") * 1e6) / 1e6,
  };
}

const recordBytes = 2048;
const eventBytes = 320;

/** About how many bytes of memory a record takes. */
function sizeOfExchange({ request, response }: Exchange): number {
  const events = response?.stream?.events ?? [];
  const ofEvents = events.reduce((sum, { data, event }) => sum + eventBytes + 2 * (data.length + event.length), 0);
  return recordBytes + sizeOfBody(request.body) + sizeOfBody(response?.body ?? null) + ofEvents;
}

function sizeOfBody(body: RecordedBody | null): number {
  return 2 * ((body?.text ?? body?.base64)?.length ?? 0);
}
