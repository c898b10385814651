import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { judgeLimits } from "../../src/limits/exam/judge-limits.ts";
import { readOp } from "../../src/limits/history/history.ts";
import { createLimitMonitor } from "../../src/limits/traffic/limit-monitor.ts";
import { simulatedManifest } from "../../test/limits/simulation/exam.ts";

/**
 * Measures the cost of judging: histories of a fixed window under steady load with some rejections, judged whole and as a
 * stream.
 */
const limit = 60_000;
const windowMs = 60_000;
const epochMs = 1_763_700_000_000;

function* traffic(count: number): Generator<Exchange> {
  let used = 0;
  let index = -1;
  for (let seq = 1; seq <= count; seq += 1) {
    const sentMs = seq * 0.9;
    const current = Math.floor((epochMs + sentMs) / windowMs);
    if (current !== index) used = 0;
    index = current;
    const admitted = used < limit;
    if (admitted) used += 1;
    const reset = String(((current + 1) * windowMs) / 1000);
    const headers: [string, string][] = [
      ["date", new Date(Math.floor((epochMs + sentMs) / 1000) * 1000).toUTCString()],
      ["x-ratelimit-limit-requests", String(limit)],
      ["x-ratelimit-remaining-requests", String(limit - used)],
      ["x-ratelimit-reset-requests", reset],
      ...(admitted
        ? []
        : ([["retry-after", String(Math.ceil((windowMs - ((epochMs + sentMs) % windowMs)) / 1000))]] as [string, string][])),
    ];
    yield {
      seq,
      stage: "load",
      caseId: "load/soak",
      label: "",
      intent: { kind: "load", profile: "soak", phase: "measure" },
      endpoint: "models",
      keyName: "load",
      attempt: 1,
      retryOf: null,
      request: { method: "GET", path: "/v1/models", headers: [], body: null },
      response: { status: admitted ? 200 : 429, headers, body: null, stream: null },
      failure: null,
      timing: { intendedMs: null, sentMs, headersMs: sentMs + 4, firstByteMs: null, endMs: sentMs + 5, wallMs: epochMs + sentMs },
      connection: null,
    };
  }
}

/** Time may grow by so much where requests grow tenfold: sorting takes a little more than ten times. */
const mostGrowth = 12;
/** Below so much CPU what the engine compiles while it runs outweighs the work. */
const leastMs = 200;

/** CPU time of the whole process: on a busy machine that of the wall shows the others. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function judgeWhole(count: number): number {
  const exchanges = [...traffic(count)];
  const startMs = cpuMs();
  judgeLimits({ exchanges, manifest, strict: false });
  return cpuMs() - startMs;
}

interface Streamed {
  readonly spentMs: number;
  readonly heapMiB: number;
  readonly said: string;
}

/** Requests are made, read and taken in batches, and what it takes to make them is left out. */
function judgeStream(count: number): Streamed {
  const monitor = createLimitMonitor({ manifest, strict: false });
  let [spentMs, heap] = [0, 0];
  let batch: Exchange[] = [];
  const take = (): void => {
    const startMs = cpuMs();
    for (const exchange of batch) {
      const op = readOp(exchange);
      if (op !== null) monitor.add(op);
    }
    spentMs += cpuMs() - startMs;
    heap = Math.max(heap, process.memoryUsage().heapUsed);
    batch = [];
  };
  for (const exchange of traffic(count)) {
    batch.push(exchange);
    if (batch.length === 10_000) take();
  }
  take();
  const startMs = cpuMs();
  const { result, findings } = monitor.finish();
  spentMs += cpuMs() - startMs;
  return { spentMs, heapMiB: heap / 1_048_576, said: [result.verdict, ...findings.map(({ check }) => check)].join(" ") };
}

const manifest = { ...simulatedManifest(limit), control: null };
console.log("| requests | whole, CPU ms | stream, CPU ms | heap of the stream, MiB | verdict |\n|--:|--:|--:|--:|--|");
const grown: string[] = [];
let before: { readonly whole: number | null; readonly stream: number } | null = null;
for (const count of [10_000, 100_000, 1_000_000]) {
  const whole = count <= 100_000 ? judgeWhole(count) : null;
  const { spentMs, heapMiB, said } = judgeStream(count);
  console.log(`| ${[count, whole?.toFixed(0) ?? "-", spentMs.toFixed(0), heapMiB.toFixed(0), said].join(" | ")} |`);
  const steps = [
    ["whole", before?.whole ?? null, whole],
    ["stream", before?.stream ?? null, spentMs],
  ] as const;
  for (const [how, one, ten] of steps) {
    if (one !== null && ten !== null && ten > mostGrowth * Math.max(leastMs, one))
      grown.push(`${how}: ${count} requests take ${(ten / one).toFixed(1)} times as long as a tenth of them`);
  }
  before = { whole, stream: spentMs };
}
for (const line of grown) console.error(line);
if (grown.length > 0) process.exitCode = 1;
