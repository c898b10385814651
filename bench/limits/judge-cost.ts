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

const manifest = { ...simulatedManifest(limit), control: null };
console.log("| requests | whole, ms | stream, ms | heap of the stream, MiB | verdict |\n|--:|--:|--:|--:|--|");
for (const count of [10_000, 100_000, 1_000_000]) {
  let whole = "-";
  if (count <= 100_000) {
    const exchanges = [...traffic(count)];
    const startMs = performance.now();
    judgeLimits({ exchanges, manifest, strict: false });
    whole = (performance.now() - startMs).toFixed(0);
  }
  const monitor = createLimitMonitor({ manifest, strict: false });
  let spentMs = 0;
  let heap = 0;
  for (const exchange of traffic(count)) {
    const startMs = performance.now();
    const op = readOp(exchange);
    if (op !== null) monitor.add(op);
    spentMs += performance.now() - startMs;
    if (exchange.seq % 50_000 === 0) heap = Math.max(heap, process.memoryUsage().heapUsed);
  }
  const startMs = performance.now();
  const judged = monitor.finish();
  spentMs += performance.now() - startMs;
  const cells = [count, whole, spentMs.toFixed(0), (heap / 1_048_576).toFixed(0), judged.result.verdict];
  console.log(`| ${cells.join(" | ")} | ${judged.findings.map((finding) => finding.check).join(" ")}`);
}
