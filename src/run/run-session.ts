import { performance } from "node:perf_hooks";
import { allJudges } from "../conformance/judges/all-judges.ts";
import { type PassiveCounts, PassiveValidator } from "../conformance/verdict/passive-validator.ts";
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
import { type JumpWatch, watchJumps } from "../wire/clock/jump-watch.ts";
import { startWallClock, type WallClock } from "../wire/clock/wall-clock.ts";
import { loopWatchOfThread } from "../wire/clock/loop-watch.ts";
import { readWallOffset } from "../wire/clock/wall-offset.ts";
import { createCaptureAccount } from "../wire/capture/capture-account.ts";
import { createWire, type Wire } from "../wire/client/wire.ts";
import { keptBytes } from "../wire/client/capture-contexts.ts";
import { createRedactor, type Redactor } from "../wire/redaction/redaction.ts";
import { createLoadEvidence, type LoadEvidence } from "./load-evidence.ts";
import { maskRecord } from "./record/mask-record.ts";
import type { LedgerFile, PassiveJson } from "./record/ledger-file.ts";
import { readPassiveCounts, writePassiveCounts } from "./record/passive-json.ts";
import { createSaidLog } from "../load/ledger/said-log.ts";
import type { RunRecord } from "./record/run-record.ts";
import { openJudgeContext } from "./judge-context.ts";
import { createLoadSampler, type LoadSample } from "./workers/load-sampler.ts";
import type { RunOptions } from "./run-options.ts";

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

/** The state that the stages of one run share: the count of exchanges, the record, passive validation, restoring, notes. */
export class RunSession {
  readonly options: RunOptions;
  /** The wall clock of the whole run, which nobody sets. */
  readonly wall: WallClock;
  readonly journal: ReadableJournal;
  readonly notes: string[] = [];
  /** Violations that limit checks proved while load was on. */
  readonly loadFindings: Finding[] = [];
  /** Reasons for which the run as a whole says nothing. */
  readonly invalidBecause: string[] = [];

  readonly #files: SessionFiles;
  readonly #exchanges: Exchange[] = [];
  readonly #seq = new Int32Array(new SharedArrayBuffer(4));
  /** By base URL. In shared memory only where workers of other threads take part: it costs half a microsecond a request. */
  readonly #counters: Map<string, SharedArrayBuffer> | null;
  readonly #budgets = new Map<string, Budget>();
  readonly #redactors = new Map<string, Redactor>();
  readonly #account = createCaptureAccount(keptBytes);
  readonly #isSampled = createLoadSampler(loadSample);
  readonly #loadEvidence: LoadEvidence = createLoadEvidence((exchange) => this.#record(exchange));
  readonly #said = createSaidLog(0, () => this.ledger().sink);
  readonly #readLoop = watchLoop();
  readonly #startedMs: number;
  readonly #jumps: JumpWatch;
  #evidence: EvidenceWriter | null = null;
  #ledger: LedgerFile | null = null;
  #validator: PassiveValidator | null = null;
  #transportRaces = 0;
  #tooLarge = 0;

  constructor(options: RunOptions, files: SessionFiles) {
    this.options = options;
    this.wall = startWallClock();
    this.#startedMs = this.wall.nowMs();
    this.#jumps = watchJumps(this.wall);
    this.#files = files;
    // The embedded service ends with the run, and its settings with it.
    this.journal = options.manifest === null ? createMemoryJournal() : createFileJournal(options.outDir);
    const hasWorkers = options.agents !== undefined || options.profiles.some(({ profile }) => profile.workers !== 1);
    this.#counters = hasWorkers ? new Map() : null;
  }

  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** A wire whose exchanges are numbered and recorded; those of load are judged as they pass, since most are not kept. */
  openWire(manifest: Manifest, clock: Clock): Wire {
    const log = this.#openEvidence(manifest);
    return createWire({
      manifest,
      clock,
      budget: this.budgetOf(manifest),
      account: this.#account,
      nextSeq: () => Atomics.add(this.#seq, 0, 1) + 1,
      onExchange: (exchange) => {
        if (exchange.stage === "load") this.#passiveOf(manifest).observe(exchange);
        if (exchange.failure?.kind === "reused-connection-closed") this.#transportRaces += 1;
        this.#keep(exchange, log, this.#redactorOf(manifest));
      },
    });
  }

  /** The amount that a target may be sent in this run, over all wires and beside them. */
  budgetOf(manifest: Manifest): Budget {
    const counters = this.#countersOf(manifest);
    return getOrMake(this.#budgets, manifest.target.baseUrl, () =>
      createBudget(manifest, counters === null ? undefined : createSharedCounters(counters)),
    );
  }

  /** The means that workers of other threads need to send within this run and to report their exchanges. */
  lend(manifest: Manifest): WorkerLoan {
    const log = this.#openEvidence(manifest);
    const budget = this.#countersOf(manifest);
    if (budget === null) throw new Error("no profile of this run has workers or agents");
    return {
      budget,
      seq: this.#seq.buffer,
      evidence: loadSample,
      onExchange: (exchange) => this.#keep(exchange, log, this.#redactorOf(manifest)),
      onPassive: (counts) => this.#passiveOf(manifest).absorb(counts),
      onTransportRaces: (count) => {
        this.#transportRaces += count;
      },
    };
  }

  /** Last sequence number that was given out, for what sends in a thread of its own. */
  get lastSeq(): SharedArrayBuffer {
    return this.#seq.buffer;
  }

  /** Takes over an exchange of load that a thread has recorded, and that is judged apart. */
  keep(exchange: Exchange, manifest: Manifest): void {
    const { maskDeep } = this.#redactorOf(manifest);
    this.#record(maskRecord(exchange, maskDeep));
  }

  /** The ledger that every statement about load follows from; created when it is first asked for. */
  ledger(): LedgerFile {
    return (this.#ledger ??= this.#files.openLedger());
  }

  spent(): Result["spent"] {
    return sumSpent([...this.#budgets.values()].map((one) => one.spent()));
  }

  /** Milliseconds since the begin of the run, whatever is done to the clock of the machine. */
  elapsedMs(): number {
    return this.wall.nowMs() - this.#startedMs;
  }

  health(): RunRecord["health"] {
    const jumps = this.#jumps.jumps();
    const { utilization, delayMaxMs } = this.#readLoop();
    const offset = readWallOffset(this.#exchanges.filter((exchange) => exchange.stage !== "load"));
    return {
      loopUtilization: utilization,
      loopDelayMaxMs: delayMaxMs,
      clockOffsetMs: offset === null || offset.split ? null : [offset.lowMs, offset.highMs],
      transportRaces: this.#transportRaces,
      ...(jumps.length === 0 ? {} : { clockJumps: jumps }),
    };
  }

  /** Records the answers of load that are kept; to be called when a profile is over. */
  async settleLoad(): Promise<void> {
    await this.#loadEvidence.settle();
  }

  /** Answers of load that the record has no room for. */
  tooLargeToKeep(): number {
    return this.#tooLarge;
  }

  /** Violations by single answers under load; null if none was sent. */
  passive(): PassiveCounts | null {
    return this.#validator === null ? null : readPassiveCounts(this.#shownCounts(this.#validator));
  }

  /** Closes the files; nothing may be sent afterwards. */
  async close(): Promise<void> {
    const interrupted = this.options.interruptedBy() !== null;
    this.#jumps.stop();
    this.#loadEvidence.settleNow();
    this.#said.close();
    if (this.#ledger !== null && this.#validator !== null)
      this.#ledger.write({ kind: "passive", counts: this.#shownCounts(this.#validator) });
    const closed = await Promise.allSettled([this.#evidence?.close({ interrupted }), this.#ledger?.close(interrupted)]);
    for (const one of closed) if (one.status === "rejected") throw one.reason;
  }

  /** Ends of the files that were written. */
  heads(): RunRecord["heads"] {
    return { evidence: this.#evidence?.head() ?? null, load: this.#ledger?.head() ?? null };
  }

  #openEvidence(manifest: Manifest): EvidenceWriter {
    return (this.#evidence ??= this.#files.openEvidence(manifest));
  }

  #countersOf({ target }: Manifest): SharedArrayBuffer | null {
    return this.#counters === null ? null : getOrMake(this.#counters, target.baseUrl, allocateSharedCounters);
  }

  #redactorOf(manifest: Manifest): Redactor {
    return getOrMake(this.#redactors, manifest.target.baseUrl, () => createRedactor(manifest));
  }

  /** Of answers under load, most of which are not kept; all others are judged from the evidence. */
  #passiveOf(manifest: Manifest): PassiveValidator {
    return (this.#validator ??= new PassiveValidator({
      judges: allJudges,
      context: openJudgeContext(manifest),
      onAccused: (seq, judge, requirement) => this.#said.add({ seq, judge, requirement }),
    }));
  }

  /** Messages may hold what the target sent, and that a key. */
  #shownCounts(seen: PassiveValidator): PassiveJson {
    const masks = [...this.#redactors.values()].map((redactor) => redactor.maskDeep);
    return maskRecord(writePassiveCounts(seen.counts()), (text) => masks.reduce((shown, mask) => mask(shown), text));
  }

  #keep(exchange: Exchange, log: EvidenceWriter, redactor: Redactor): void {
    if (exchange.stage === "load") {
      if (!this.#isSampled(exchange)) return;
      // Facts that are judged were counted as they came; of load only this sample is kept.
      if (this.#account.take(sizeOfExchange(exchange))) this.#loadEvidence.add(exchange, redactor.maskDeep);
      else this.#tooLarge += 1;
      return;
    }
    this.#exchanges.push(exchange);
    // A disk that lags holds up the conformance stages, not memory.
    if (!log.append(exchange)) log.flushSync();
  }

  #record(exchange: Exchange): void {
    this.#exchanges.push(exchange);
    this.#evidence?.append(exchange);
  }
}

function getOrMake<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

function watchLoop(): () => { readonly utilization: number; readonly delayMaxMs: number } {
  const before = performance.eventLoopUtilization();
  const watch = loopWatchOfThread();
  const startedMs = performance.now();
  return () => ({
    utilization: Math.round(performance.eventLoopUtilization(before).utilization * 1000) / 1000,
    delayMaxMs: Math.round(watch.latestSince(startedMs) * 100) / 100,
  });
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
