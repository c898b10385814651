import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { createThreadWorkers } from "../../src/run/workers/thread-workers.ts";
import { allocateSharedCounters } from "../../src/wire/budget/budget-counters.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { manifestFor } from "../../test/make/load/load-target.ts";
import type { ReplayFigures, ReplayOrder } from "./workers-replay.ts";

/** One measurement in a process of its own: `client what loops seconds url`. Answers its parent with the figures. */
export interface WorkersFigures {
  readonly requests: number;
  readonly events: number;
  readonly seconds: number;
  /** Of this process, all threads, from the start of the sends to the end of the last one. */
  readonly cpuMicroseconds: number;
  /** Of the busiest loop; null where nobody watched. */
  readonly loopUtilization: number | null;
}

async function replay(loops: number, seconds: number): Promise<WorkersFigures> {
  const workers = Array.from({ length: loops }, (_, index) => {
    const workerData: ReplayOrder = { seconds, index, count: loops };
    return new Worker(new URL("workers-replay.js", import.meta.url), { workerData });
  });
  await Promise.all(workers.map(async (worker) => once(worker, "message")));
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const figures = await Promise.all(
    workers.map(async (worker) => {
      worker.postMessage("start", []);
      const [one] = (await once(worker, "message")) as [ReplayFigures];
      return one;
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return {
    requests: figures.reduce((sum, one) => sum + one.requests, 0),
    events: figures.reduce((sum, one) => sum + one.events, 0),
    seconds: (performance.now() - startedMs) / 1000,
    cpuMicroseconds: user + system,
    loopUtilization: null,
  };
}

async function load(what: "closed" | "streams", loops: number, seconds: number, url: string): Promise<WorkersFigures> {
  const manifest = manifestFor(url);
  const clock = createRealClock();
  const memory = allocateSharedCounters();
  const wire = createWire({ manifest, clock });
  const profile = readProfile(
    JSON.stringify({
      id: "bench",
      title: "Bench",
      arrivals: { kind: "closed", concurrency: what === "closed" ? 64 : 400 },
      durationSeconds: seconds,
      workload: [{ endpoint: what === "closed" ? "models" : "chat" }],
    }),
    "bench",
  );
  const judge = { evidence: { first: 200, failed: 500 }, onExchange: () => {}, onOp: () => {}, onPassive: () => {} };
  const workers = createThreadWorkers({
    workerCount: loops,
    budget: memory,
    seq: new SharedArrayBuffer(4),
    judge,
    onTransportRaces: () => {},
  });
  // From a third of the time on: threads that start, code that every one of them compiles, and sums that are made do not count.
  const reported: { readonly cpu: NodeJS.CpuUsage; readonly atMs: number; readonly answers: number }[] = [];
  const result = await runLoadProfile({
    profile,
    manifest,
    sender: wire,
    clock,
    seed: 1,
    workers,
    onProgress(event) {
      if (event.kind !== "load" || event.elapsedMs < (1000 * seconds) / 3 || event.elapsedMs > 1000 * seconds) return;
      reported.push({ cpu: process.cpuUsage(), atMs: performance.now(), answers: event.answers?.succeeded ?? 0 });
    },
  });
  await wire.close();
  const [first] = reported;
  const last = reported.at(-1);
  if (first === undefined || last === undefined || first === last) throw new Error("there was too little progress");
  const requests = reported.slice(1).reduce((sum, { answers }) => sum + answers, 0);
  return {
    requests,
    events: what === "closed" ? 0 : requests * eventsPerStream,
    seconds: (last.atMs - first.atMs) / 1000,
    cpuMicroseconds: last.cpu.user + last.cpu.system - first.cpu.user - first.cpu.system,
    loopUtilization: result.health.loopUtilization,
  };
}

/** As the server is reported. */
const eventsPerStream = 40;

const [what = "", loops = "1", seconds = "3", url = ""] = process.argv.slice(2);
const figures =
  what === "replay"
    ? await replay(Number(loops), Number(seconds))
    : await load(what === "closed" ? "closed" : "streams", Number(loops), Number(seconds), url);
process.send?.(figures, () => process.exit(0));
