import { Worker } from "node:worker_threads";
import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { AnswerCounts, OnProgress, ProgressEvent } from "../../core/progress.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { allocateHold } from "../../load/send/hold.ts";
import type { FleetOrder, LoadFleet } from "../../load/workers/load-fleet.ts";
import type { LoadRecord } from "../../load/samples/load-record.ts";
import type { ShareResult } from "../../load/workers/share-result.ts";
import { compiledFile } from "../compiled-file.ts";
import type { FromLoop, LoopOrder, ToLoop } from "./loop-messages.ts";
import { createRateMeeting } from "./rate-meeting.ts";

export interface ThreadFleetOptions {
  readonly loops: number;
  /** Counters of the run's budget and its last sequence number, in shared memory. */
  readonly budget: SharedArrayBuffer;
  readonly seq: SharedArrayBuffer;
  /** Null: answers are not judged, nothing is kept. */
  readonly judge: {
    readonly evidence: LoopOrder["evidence"];
    readonly onExchange: (exchange: Exchange) => void;
    readonly onOp: (op: LimitOp) => void;
    readonly onPassive: (counts: PassiveCounts) => void;
  } | null;
  readonly onTransportRaces: (count: number) => void;
  /** How the thread of a loop is started; default: from the compiled file. */
  readonly start?: (order: LoopOrder) => Worker;
}

/** Between the moment that every loop is ready and the first instant of the schedule. */
const startLeadMs = 300;

/** A fleet of worker threads, each with its own connections, pacer and judges; nothing but shared counters is common. */
export function createThreadFleet(options: ThreadFleetOptions): LoadFleet {
  return { loops: options.loops, measure: (order) => runFleet(options, order) };
}

async function runFleet(options: ThreadFleetOptions, order: FleetOrder): Promise<readonly ShareResult[]> {
  const { loops, judge } = options;
  const { clock, signal } = order;
  const share = (bound: number): number => Math.ceil(bound / loops);
  const evidence = judge?.evidence ?? { first: 0, failed: 0 };
  const common = {
    profile: order.profile,
    manifest: order.manifest,
    seed: order.seed,
    trace: order.trace,
    originMs: Number(process.hrtime.bigint()) / 1e6 - clock.nowMs(),
    budget: options.budget,
    seq: options.seq,
    hold: allocateHold(),
    allowance: order.allowance ?? null,
    evidence: { first: share(evidence.first), failed: share(evidence.failed) },
    judged: judge !== null,
    ledger: order.ledger !== undefined,
  };
  const workers = Array.from({ length: loops }, (_, index) =>
    (options.start ?? startCompiled)({ ...common, share: { index, count: loops } } satisfies LoopOrder),
  );
  const tellAll = (message: ToLoop): void => {
    for (const worker of workers) worker.postMessage(message, []);
  };
  const interrupt = (): void => tellAll({ kind: "interrupt" });
  signal.addEventListener("abort", interrupt, { once: true });
  const meeting = createRateMeeting({ loops, tellAll, beginAt: () => clock.nowMs() + startLeadMs });
  const live = mergeProgress(order.onProgress, loops);
  let ready = 0;
  const hear = (message: FromLoop, index: number, records: LoadRecord[]): ShareResult | null => {
    switch (message.kind) {
      case "ready":
        ready += 1;
        if (ready === loops) tellAll({ kind: "start", startMs: clock.nowMs() + startLeadMs });
        // A signal that came while threads were starting was heard by those that listened.
        if (signal.aborted) interrupt();
        return null;
      case "progress":
        live.tell(index, message.event);
        return null;
      case "seen":
        for (const exchange of message.exchanges) judge?.onExchange(exchange);
        for (const op of message.ops) judge?.onOp(op);
        return null;
      case "ledger":
        order.ledger?.(message.json);
        return null;
      case "stopped":
        // Loops that have stopped already keep their own reason.
        if (message.reason !== "interrupted") tellAll({ kind: "stop", reason: message.reason });
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
            worker.on("message", (message: FromLoop) => {
              const result = hear(message, index, records);
              if (result !== null) resolve(result);
            });
            worker.once("error", reject);
            worker.once("exit", (code) => reject(new Error(`load loop ${index + 1} ended with code ${code}`)));
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

function startCompiled(order: LoopOrder): Worker {
  return new Worker(compiledFile("run/workers/load-loop.js"), { workerData: order });
}

type LoadEvent = Extract<ProgressEvent, { kind: "load" }>;

const noAnswers: AnswerCounts = { succeeded: 0, limited: 0, clientErrors: 0, serverErrors: 0, unanswered: 0 };

interface MergedProgress {
  readonly tell: (index: number, event: LoadEvent) => void;
  /** Tells what came after the first loop had told its last. */
  readonly end: () => void;
}

/** Tells the sum of all loops whenever the first one tells its own; percentiles are those of the worst loop. */
function mergeProgress(onProgress: OnProgress, loops: number): MergedProgress {
  const latest: (LoadEvent | null)[] = Array.from({ length: loops }, () => null);
  let answers = noAnswers;
  const end = (): void => {
    const known = latest.filter((one) => one !== null);
    const [first] = known;
    if (first === undefined) return;
    const sum = (value: (one: LoadEvent) => number): number => known.reduce((total, one) => total + value(one), 0);
    const worst = (value: (one: LoadEvent) => number | null): number | null =>
      known.reduce<number | null>((most, one) => {
        const here = value(one);
        return here === null ? most : Math.max(most ?? here, here);
      }, null);
    onProgress({
      ...first,
      offeredPerSecond: sum((one) => one.offeredPerSecond),
      achievedPerSecond: sum((one) => one.achievedPerSecond),
      inFlight: sum((one) => one.inFlight),
      ttftP50: worst((one) => one.ttftP50),
      ttftMax: worst((one) => one.ttftMax),
      dispatchDelayMax: worst((one) => one.dispatchDelayMax),
      loopUtilization: worst((one) => one.loopUtilization) ?? 0,
      answers,
    });
    answers = noAnswers;
  };
  return {
    end,
    tell(index, event) {
      latest[index] = event;
      answers = addAnswers(answers, event.answers ?? noAnswers);
      if (index === 0) end();
    },
  };
}

function addAnswers(one: AnswerCounts, other: AnswerCounts): AnswerCounts {
  return {
    succeeded: one.succeeded + other.succeeded,
    limited: one.limited + other.limited,
    clientErrors: one.clientErrors + other.clientErrors,
    serverErrors: one.serverErrors + other.serverErrors,
    unanswered: one.unanswered + other.unanswered,
  };
}
