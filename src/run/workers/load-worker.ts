import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { allJudges } from "../../conformance/judges/all-judges.ts";
import { PassiveValidator } from "../../conformance/verdict/passive-validator.ts";
import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { readOp } from "../../limits/history/history.ts";
import { createSharedHold } from "../../load/send/hold.ts";
import type { EarlyEnd } from "../../load/samples/early-end.ts";
import { measureShare } from "../../load/workers/measure-share.ts";
import { planLoad } from "../../load/plan/plan-load.ts";
import { createBudget } from "../../wire/budget/budget.ts";
import { createSharedCounters } from "../../wire/budget/budget-counters.ts";
import { mostLoadBytes } from "../../wire/client/capture-contexts.ts";
import { createWire } from "../../wire/client/wire.ts";
import { openJudgeContext } from "../judge-context.ts";
import { alignClock } from "./align-clock.ts";
import { createSaidLog } from "../../load/ledger/said-log.ts";
import { createWorkerBarrier, type WorkerBarrier } from "./worker-barrier.ts";
import { createLoadSampler } from "./load-sampler.ts";
import type { FromWorker, WorkerOrder, ToWorker } from "./worker-messages.ts";
import { numberConnection } from "./number-connection.ts";

/** Exchanges are handed over this often; nothing of them is urgent. */
const handOverMs = 250;
const recordsPerMessage = 20_000;

/** A thread of its own that sends one share of a load profile: engine, connections, pacer and judges are all here. */
async function runWorker(order: WorkerOrder, port: MessagePort): Promise<void> {
  const { profile, manifest, seed, share, trace } = order;
  const clock = alignClock(order);
  const post = (message: FromWorker): void => port.postMessage(message);
  const traffic = watchTraffic(order, post);
  const seq = new Int32Array(order.seq);
  const wire = createWire({
    manifest,
    clock,
    budget: createBudget(manifest, createSharedCounters(order.budget)),
    loadBytes: Math.floor(mostLoadBytes / share.count),
    nextSeq: () => Atomics.add(seq, 0, 1) + 1,
    onExchange: traffic.observe,
  });
  const timer = setInterval(traffic.handOver, handOverMs);
  const barrier = createWorkerBarrier(post);
  const control = hearOrders(port, barrier, clock);
  const result = await measureShare({
    profile,
    plan: planLoad({ profile, manifest, seed, trace }),
    share,
    manifest,
    sender: wire,
    clock,
    seed,
    hold: createSharedHold(order.hold),
    allowance: order.allowance,
    barrier,
    signal: control.interrupt,
    ...(order.ledger ? { ledger: traffic.ledger } : {}),
    startAt() {
      post({ kind: "ready" });
      return control.started;
    },
    onEngine(engine) {
      control.stop = (reason) => engine.stop(reason);
      engine.stopped.addEventListener("abort", () => {
        if (engine.stopReason !== null) post({ kind: "stopped", reason: engine.stopReason });
      });
    },
    onSent: () => post({ kind: "sent" }),
    onProgress(event) {
      if (event.kind === "load") post({ kind: "progress", event });
    },
    onExchange: traffic.offerOp,
  });
  clearInterval(timer);
  await wire.close();
  const seen = traffic.end();
  const { records, ...rest } = result;
  for (let from = 0; from < records.length; from += recordsPerMessage) {
    post({ kind: "records", records: records.slice(from, from + recordsPerMessage) });
  }
  post({ kind: "measured", result: rest, ...seen });
  port.close();
}

interface ThreadControl {
  readonly interrupt: AbortSignal;
  /** Resolves to the first instant of the profile. */
  readonly started: Promise<number>;
  /** Set once there is something to end. */
  stop: (reason: EarlyEnd) => void;
}

/** Does what the thread that started this one says. */
function hearOrders(port: MessagePort, barrier: WorkerBarrier, clock: Clock): ThreadControl {
  const interrupt = new AbortController();
  const started = new Promise<number>((resolve) => {
    port.on("message", (message: ToWorker) => {
      switch (message.kind) {
        case "start":
          resolve(message.startMs);
          break;
        case "interrupt":
          interrupt.abort();
          // Before the start there is nothing to wait for: the engine sees the signal at once.
          resolve(clock.nowMs());
          break;
        case "stop":
          control.stop(message.reason);
          break;
        case "rate-begins":
        case "rate-judged":
          barrier.hear(message);
          break;
      }
    });
  });
  const control: ThreadControl = { interrupt: interrupt.signal, started, stop: () => {} };
  return control;
}

/** The reports on the traffic of this thread, with the verdicts of judges on it. */
function watchTraffic({ manifest, share, evidence, judged, ledger }: WorkerOrder, post: (message: FromWorker) => void) {
  const toLedger = (json: string): void => post({ kind: "ledger", json });
  const said = ledger ? createSaidLog(share.index, () => toLedger) : null;
  const passive = judged
    ? new PassiveValidator({
        judges: allJudges,
        context: openJudgeContext(manifest),
        ...(said === null ? {} : { onAccused: (seq, judge, requirement) => said.add({ seq, judge, requirement }) }),
      })
    : null;
  const isSampled = createLoadSampler(evidence);
  let exchanges: Exchange[] = [];
  let ops: LimitOp[] = [];
  let transportRaces = 0;
  const handOver = (): void => {
    if (exchanges.length > 0 || ops.length > 0) post({ kind: "seen", exchanges, ops });
    exchanges = [];
    ops = [];
  };
  return {
    handOver,
    ledger: toLedger,
    observe: (exchange: Exchange): void => {
      passive?.observe(exchange);
      if (exchange.failure?.kind === "reused-connection-closed") transportRaces += 1;
      if (isSampled(exchange)) exchanges.push(numberConnection(exchange, share.index));
    },
    offerOp: (exchange: Exchange): void => {
      const op = judged ? readOp(exchange) : null;
      if (op !== null) ops.push(op);
    },
    end() {
      said?.close();
      handOver();
      return { passive: passive?.counts() ?? null, transportRaces };
    },
  };
}

if (parentPort !== null) {
  const port = parentPort;
  // A fault of ours ends the thread, and with it the workers: see `createThreadWorkers`.
  runWorker(workerData as WorkerOrder, port).catch((error: unknown) => {
    setImmediate(() => {
      throw error;
    });
  });
}
