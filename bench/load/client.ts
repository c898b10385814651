import { performance } from "node:perf_hooks";
import type { ClientFigures, Measure } from "./client-figures.ts";
import { closedClients } from "./closed-clients.ts";
import { pacingClients } from "./pacing-clients.ts";
import { streamClients } from "./stream-clients.ts";

/** One measurement, in a process of its own: `client tool connections seconds url`. Answers its parent with the figures. */
const tools: Readonly<Record<string, Measure>> = { ...closedClients, ...streamClients, ...pacingClients };

const [tool = "", connections = "1", seconds = "1", url = ""] = process.argv.slice(2);
const measure = tools[tool];
if (measure === undefined) throw new RangeError(`no client named "${tool}"`);
// Loading and compiling code is no cost of a request: a short closed loop with the same client comes first.
const warmUp = tools[tool.replace("stream", "closed")];
if (!tool.startsWith("pacing")) await warmUp?.(8, 1, url);
const cpu = process.cpuUsage();
const loop = performance.eventLoopUtilization();
let residentBytes = process.memoryUsage.rss();
const baseBytes = residentBytes;
const watch = setInterval(() => {
  residentBytes = Math.max(residentBytes, process.memoryUsage.rss());
}, 200);
const figures = await measure(Number(connections), Number(seconds), url);
clearInterval(watch);
const used = process.cpuUsage(cpu);
const busy = performance.eventLoopUtilization(loop);
process.send?.({
  ...figures,
  cpuMicroseconds: used.user + used.system,
  activeMs: busy.active,
  loopUtilization: busy.utilization,
  residentBytes: residentBytes - baseBytes,
} satisfies ClientFigures);
process.disconnect?.();
