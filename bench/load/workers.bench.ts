import { availableParallelism, loadavg } from "node:os";
import { benchChildren } from "./bench-children.ts";
import { median } from "./median.ts";
import type { WorkersFigures } from "./workers-client.ts";

/**
 * One loop beside two that share a profile, in one run. `replay` has no server: stored bytes go through stream reader, judges,
 * engine and books, so that the loops are all that needs a processor. `closed` and `streams` go over sockets to a server
 * that needs a processor as well; with two processors the CPU time per item is what can be said of them.
 * Arguments: rounds (3), seconds of each measurement (4).
 */
const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 4);
const children = benchChildren();

async function measure(what: string, loops: number, url: string): Promise<WorkersFigures> {
  return children.figuresOf("workers-client", [what, String(loops), String(seconds), url]);
}

async function withServer(what: string, loops: number): Promise<WorkersFigures> {
  if (what === "replay") return measure(what, loops, "");
  return children.withServer([10, 40], (url) => measure(what, loops, url));
}

console.log(
  `${availableParallelism()} processors, load ${loadavg()[0]?.toFixed(1) ?? "?"} before the start, ${rounds} rounds of ${seconds} s\n`,
);
console.log("| what | loops | requests/s | events/s | x one loop | CPU us a request | x one loop | busiest loop |");
console.log("|---|---|---|---|---|---|---|---|");
for (const what of ["replay", "closed", "streams"]) {
  const runs = new Map<number, WorkersFigures[]>([
    [1, []],
    [2, []],
  ]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [loops, kept] of runs) kept.push(await withServer(what, loops));
  }
  const perSecond = (loops: number): number => median((runs.get(loops) ?? []).map((run) => run.requests / run.seconds));
  const cpu = (loops: number): number => median((runs.get(loops) ?? []).map((run) => run.cpuMicroseconds / run.requests));
  for (const [loops, kept] of runs) {
    const events = median(kept.map((run) => run.events / run.seconds));
    const busy = median(kept.map((run) => run.loopUtilization ?? Number.NaN));
    console.log(
      `| ${what} | ${loops} | ${perSecond(loops).toFixed(0)} | ${events.toFixed(0)} | ${(perSecond(loops) / perSecond(1)).toFixed(2)} | ` +
        `${cpu(loops).toFixed(1)} | ${(cpu(loops) / cpu(1)).toFixed(2)} | ${Number.isNaN(busy) ? "" : busy.toFixed(2)} |`,
    );
  }
}
