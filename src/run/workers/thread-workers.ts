import { Worker } from "node:worker_threads";
import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { allocateHold } from "../../load/send/hold.ts";
import type { WorkOrder, LoadWorkers } from "../../load/workers/load-workers.ts";
import type { LoadRecord } from "../../load/samples/load-record.ts";
import type { ShareResult } from "../../load/workers/share-result.ts";
import { monotonicOriginMs } from "../../wire/clock/monotonic-origin.ts";
import { compiledFile } from "../compiled-file.ts";
import { sampleOfEach } from "./load-sampler.ts";
import type { FromWorker, WorkerOrder, ToWorker } from "./worker-messages.ts";
import { mergeProgress } from "./merge-progress.ts";
import { createRateMeeting } from "./rate-meeting.ts";

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
  return { count: options.workerCount, measure: (order) => runThreads(options, order) };
}

async function runThreads(options: ThreadWorkersOptions, order: WorkOrder): Promise<readonly ShareResult[]> {
  const { workerCount, judge } = options;
  const { clock, signal } = order;
  const common = {
    profile: order.profile,
    manifest: order.manifest,
    seed: order.seed,
    trace: order.trace,
    originMs: monotonicOriginMs(() => clock.nowMs()),
    budget: options.budget,
    seq: options.seq,
    hold: allocateHold(),
    allowance: order.allowance ?? null,
    evidence: sampleOfEach(judge?.evidence ?? { first: 0, failed: 0 }, workerCount),
    judged: judge !== null,
    ledger: order.ledger !== undefined,
  };
  const workers = Array.from({ length: workerCount }, (_, index) => {
    const workerData: WorkerOrder = { ...common, share: { index, count: workerCount } };
    return new Worker(compiledFile("run/workers/load-worker.js"), { workerData });
  });
  const sendAll = (message: ToWorker): void => {
    for (const worker of workers) worker.postMessage(message, []);
  };
  const interrupt = (): void => sendAll({ kind: "interrupt" });
  signal.addEventListener("abort", interrupt, { once: true });
  const meeting = createRateMeeting({ workerCount, sendAll, beginAt: () => clock.nowMs() + startLeadMs });
  const live = mergeProgress(order.onProgress, workerCount);
  let ready = 0;
  const hear = (message: FromWorker, index: number, records: LoadRecord[]): ShareResult | null => {
    switch (message.kind) {
      case "ready":
        ready += 1;
        if (ready === workerCount) sendAll({ kind: "start", startMs: clock.nowMs() + startLeadMs });
        // A signal that came while threads were starting was heard by those that listened.
        if (signal.aborted) interrupt();
        return null;
      case "progress":
        live.report(index, message.event);
        return null;
      case "seen":
        for (const exchange of message.exchanges) judge?.onExchange(exchange);
        for (const op of message.ops) judge?.onOp(op);
        return null;
      case "ledger":
        order.ledger?.(message.json);
        return null;
      case "stopped":
        // Workers that have stopped already keep their own reason.
        if (message.reason.kind !== "interrupted") sendAll({ kind: "stop", reason: message.reason });
        return null;
      case "rate-ready":
        meeting.ready();
        return null;
      case "rate-probed":
        meeting.probed(message.probed);
        return null;
      case "records":
        records.push(...message.records);
        return null;
      case "measured":
        if (message.passive !== null) judge?.onPassive(message.passive);
        options.onTransportRaces(message.transportRaces);
        return { ...message.result, records };
      default:
        return message satisfies never;
    }
  };
  try {
    const measured = await Promise.all(
      workers.map(
        (worker, index) =>
          new Promise<ShareResult>((resolve, reject) => {
            const records: LoadRecord[] = [];
            worker.on("message", (message: FromWorker) => {
              const result = hear(message, index, records);
              if (result !== null) resolve(result);
            });
            worker.once("error", reject);
            worker.once("exit", (code) => reject(new Error(`load worker ${index + 1} ended with code ${code}`)));
          }),
      ),
    );
    live.end();
    return measured;
  } finally {
    signal.removeEventListener("abort", interrupt);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
