import { Worker } from "node:worker_threads";
import type { LoopOrder } from "../../src/run/workers/loop-messages.ts";

/** Starts a load loop from its source: a thread cannot load TypeScript without the loader that benches use. */
export function startSourceLoop(order: LoopOrder): Worker {
  const file = new URL("../../src/run/workers/load-loop.ts", import.meta.url).href;
  const load = `import("tsx/esm/api").then(({ register }) => { register(); return import(${JSON.stringify(file)}); });`;
  return new Worker(load, { eval: true, workerData: order });
}
