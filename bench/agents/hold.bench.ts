import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Answer } from "../../test/make/load/load-target.ts";
import { manifestFor, startTarget } from "../../test/make/load/load-target.ts";
import { startBroker } from "../../test/features/agents/broker-process.ts";
import { startProxy } from "../../test/features/agents/proxy.ts";
import { runWithAgents } from "../../test/features/agents/run-with-agents.ts";

/**
 * How long after one agent was asked to wait others still send: docs/measurements/agents.md. Three agents in processes of their own
 * with 40 requests a second each, counted at the target from the moment that the refusal was written. A loop that stands still hears
 * nothing, whatever way a message takes: the longest standstill of any loop of a trial (three agents, this one) is printed beside it and
 * allowed on top of the round trip and 50 ms. Arguments: trials, then one-way delays to the broker in milliseconds.
 */
const [trials = 10, ...delays] = process.argv.slice(2).map(Number);
const withinMs = 50;

interface Trial {
  readonly lastMs: number;
  readonly standstillMs: number;
}

const broker = await startBroker();
console.log(
  "| way to the broker, ms | trials | last request after the refusal, ms: median | worst | standstill, ms: worst | later than allowed |",
);
console.log("|---|---|---|---|---|---|");
for (const delayMs of delays.length > 0 ? delays : [0, 25]) {
  const proxies = await Promise.all([0, 1, 2].map(() => startProxy(broker.port, { there: delayMs, back: delayMs })));
  const seen: Trial[] = [];
  for (let trial = 0; trial < trials; trial += 1) seen.push(await measure(proxies.map(({ url }) => url)));
  const late = seen.filter(({ lastMs, standstillMs }) => lastMs > 2 * delayMs + withinMs + standstillMs).length;
  const last = seen.map(({ lastMs }) => lastMs).sort((a, b) => a - b);
  const worst = Math.max(...seen.map(({ standstillMs }) => standstillMs));
  const shown = [last[Math.floor(last.length / 2)] ?? 0, last.at(-1) ?? 0, worst].map((ms) => ms.toFixed(1));
  console.log(`| ${delayMs} | ${trials} | ${shown.join(" | ")} | ${late} |`);
  await Promise.all(proxies.map((proxy) => proxy.close()));
}
await broker.close();

async function measure(urls: readonly string[]): Promise<Trial> {
  const seenAtMs: number[] = [];
  let refusedAtMs = Infinity;
  const own = monitorEventLoopDelay({ resolution: 2 });
  const answer: Answer = (request, response) => {
    seenAtMs.push(performance.now());
    if (request.number !== 240) {
      response.writeHead(200, { "content-type": "application/json" }).end('{"choices":[]}');
      return;
    }
    response.writeHead(429, { "content-type": "application/json", "retry-after": "2" });
    response.end('{"error":{"code":"rate_limited","retry_after":2}}');
    refusedAtMs = performance.now();
    own.enable();
  };
  const target = await startTarget(answer);
  try {
    const { result } = await runWithAgents({
      broker: broker.address,
      manifest: manifestFor(target.baseUrl),
      profile: { arrivals: { kind: "constant", ratePerSecond: 120 }, durationSeconds: 4, retry: { max: 0, retryAfter: "obey" } },
      onProcess: () => {},
      agents: urls.map((url) => ({ broker: { ...broker.address, url } })),
    });
    own.disable();
    const loops = result.health.agents?.flatMap(({ loopDelayMaxMs }) => loopDelayMaxMs ?? []) ?? [];
    return {
      lastMs: Math.max(0, ...seenAtMs.filter((ms) => ms > refusedAtMs && ms < refusedAtMs + 1900).map((ms) => ms - refusedAtMs)),
      standstillMs: Math.max(own.max / 1e6, ...loops),
    };
  } finally {
    await target.close();
  }
}
