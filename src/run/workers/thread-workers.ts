import { Worker } from "node:worker_threads";
import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { allocateHold } from "../../load/send/hold.ts";
import { allSent } from "../../load/workers/all-sent.ts";
import type { WorkOrder, LoadWorkers } from "../../load/workers/load-workers.ts";
import type { LoadRecord } from "../../load/samples/load-record.ts";
import type { ShareResult } from "../../load/ledger/share-result.ts";
import { monotonicOriginMs } from "../../wire/clock/monotonic-origin.ts";
import { compiledFile } from "../compiled-file.ts";
import { sampleOfEach } from "./load-sampler.ts";
import type { FromWorker, WorkerOrder, ToWorker } from "./worker-messages.ts";
import { type MergedProgress, mergeProgress } from "./merge-progress.ts";
import { createRateMeeting, type RateMeeting } from "./rate-meeting.ts";

export interface ThreadWorkersOptions {
  readonly workerCount: number;
  /** Counters of the run's budget and its last sequence number, in shared memory. */
  readonly budget: SharedArrayBuffer;
  readonly seq: SharedArrayBuffer;
  /** Null: answers are not judged, nothing is kept. */
  readonly judge: {
    readonly evidence: WorkerOrder["evidence"];
    readonly onExchange: (exchange: Exchange) => void;
    readonly onOp: (op: LimitOp) => void;
    readonly onPassive: (counts: PassiveCounts) => void;
  } | null;
  readonly onTransportRaces: (count: number) => void;
}

/** Between the moment that every worker is ready and the first instant of the schedule. */
const startLeadMs = 300;

/** Worker threads, each with its own connections, pacer and judges; nothing but shared counters is common. */
export function createThreadWorkers(options: ThreadWorkersOptions): LoadWorkers {
  return { count: options.workerCount, measure: async (order) => new ThreadedProfile(options, order).measure() };
}

/** A message that concerns more than the share of its worker. */
type Heard = Exclude<FromWorker, { readonly kind: "records" | "measured" }>;

/** One profile that worker threads measure together: takes what each of them reports, and decides what all are sent. */
class ThreadedProfile {
  readonly #options: ThreadWorkersOptions;
  readonly #order: WorkOrder;
  readonly #workers: readonly Worker[];
  readonly #meeting: RateMeeting;
  readonly #live: MergedProgress;
  readonly #sent: (index: number) => void;
  #ready = 0;

  constructor(options: ThreadWorkersOptions, order: WorkOrder) {
    const { workerCount } = options;
    this.#options = options;
    this.#order = order;
    this.#workers = startWorkers(options, order);
    this.#meeting = createRateMeeting({
      workerCount,
      sendAll: (message) => this.#sendAll(message),
      beginAt: () => this.#beginAt(),
    });
    this.#live = mergeProgress(order.onProgress, workerCount);
    this.#sent = allSent(workerCount, () => order.onSent?.());
  }

  async measure(): Promise<readonly ShareResult[]> {
    const { signal } = this.#order;
    const interrupt = (): void => this.#interrupt();
    signal.addEventListener("abort", interrupt, { once: true });
    try {
      const measured = await Promise.all(this.#workers.map((worker, index) => this.#follow(worker, index)));
      this.#live.end();
      return measured;
    } finally {
      signal.removeEventListener("abort", interrupt);
      await Promise.all(this.#workers.map((worker) => worker.terminate()));
    }
  }

  /** Until it has handed over its share. */
  #follow(worker: Worker, index: number): Promise<ShareResult> {
    const records: LoadRecord[] = [];
    return new Promise((resolve, reject) => {
      worker.on("message", (message: FromWorker) => {
        if (message.kind === "records") records.push(...message.records);
        else if (message.kind === "measured") {
          this.#takeOver(message);
          resolve({ ...message.result, records });
        } else this.#hear(message, index);
      });
      worker.once("error", reject);
      worker.once("exit", (code) => reject(new Error(`load worker ${index + 1} ended with code ${code}`)));
    });
  }

  #hear(message: Heard, index: number): void {
    switch (message.kind) {
      case "ready":
        return this.#startWhenReady();
      case "progress":
        return this.#live.report(index, message.event);
      case "seen":
        return this.#passOn(message);
      case "ledger":
        return this.#order.ledger?.(message.json);
      case "stopped":
        // Workers that have stopped already keep their own reason.
        if (message.reason.kind !== "interrupted") this.#sendAll({ kind: "stop", reason: message.reason });
        return;
      case "sent":
        return this.#sent(index);
      case "rate-ready":
        return this.#meeting.ready();
      case "rate-tried":
        return this.#meeting.probed(message.probed);
      default:
        message satisfies never;
    }
  }

  #startWhenReady(): void {
    this.#ready += 1;
    if (this.#ready === this.#workers.length) this.#sendAll({ kind: "start", startMs: this.#beginAt() });
    // A signal that came while threads were starting was heard by those that listened.
    if (this.#order.signal.aborted) this.#interrupt();
  }

  #passOn({ exchanges, ops }: Extract<FromWorker, { readonly kind: "seen" }>): void {
    const { judge } = this.#options;
    for (const exchange of exchanges) judge?.onExchange(exchange);
    for (const op of ops) judge?.onOp(op);
  }

  #takeOver({ passive, transportRaces }: Extract<FromWorker, { readonly kind: "measured" }>): void {
    const { judge, onTransportRaces } = this.#options;
    if (passive !== null) judge?.onPassive(passive);
    onTransportRaces(transportRaces);
  }

  #interrupt(): void {
    this.#sendAll({ kind: "interrupt" });
  }

  #sendAll(message: ToWorker): void {
    for (const worker of this.#workers) worker.postMessage(message, []);
  }

  /** Instant of the run clock that every worker can still wait for. */
  #beginAt(): number {
    return this.#order.clock.nowMs() + startLeadMs;
  }
}

function startWorkers({ workerCount, judge, budget, seq }: ThreadWorkersOptions, order: WorkOrder): readonly Worker[] {
  const common = {
    profile: order.profile,
    manifest: order.manifest,
    seed: order.seed,
    trace: order.trace,
    originMs: monotonicOriginMs(() => order.clock.nowMs()),
    wallAtZeroMs: order.clock.wallMs() - order.clock.nowMs(),
    budget,
    seq,
    hold: allocateHold(),
    allowance: order.allowance ?? null,
    evidence: sampleOfEach(judge?.evidence ?? { first: 0, failed: 0 }, workerCount),
    judged: judge !== null,
    ledger: order.ledger !== undefined,
  };
  return Array.from({ length: workerCount }, (_, index) => {
    const workerData: WorkerOrder = { ...common, share: { index, count: workerCount } };
    return new Worker(compiledFile("run/workers/load-worker.js"), { workerData });
  });
}
