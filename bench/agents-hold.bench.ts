import type { Answer } from "../test/load/load-target.ts";
import { manifestFor, startTarget } from "../test/load/load-target.ts";
import { startBroker } from "../test/distributed/broker-process.ts";
import { startProxy } from "../test/distributed/proxy.ts";
import { runWithAgents } from "../test/distributed/run-with-agents.ts";

/**
 * How long after one agent was asked to wait others still send: docs/measurements/agents.md. Three agents in processes of their own
 * with 40 requests a second each, counted at the target from the moment that the refusal was written. Arguments: trials, then one-way delays to the
 * broker in milliseconds.
 */
const [trials = 10, ...delays] = process.argv.slice(2).map(Number);

const broker = await startBroker();
console.log("| way to the broker, ms | trials | last request after the refusal, ms: median | worst |");
console.log("|---|---|---|---|");
for (const delayMs of delays.length > 0 ? delays : [0, 25]) {
  const proxies = await Promise.all([0, 1, 2].map(() => startProxy(broker.port, { there: delayMs, back: delayMs })));
  const last: number[] = [];
  for (let trial = 0; trial < trials; trial += 1) last.push(await measure(proxies.map(({ url }) => url)));
  last.sort((a, b) => a - b);
  const shown = [last[Math.floor(last.length / 2)], last.at(-1)].map((ms) => ms?.toFixed(1));
  console.log(`| ${delayMs} | ${trials} | ${shown.join(" | ")} |`);
  await Promise.all(proxies.map((proxy) => proxy.close()));
}
await broker.close();

async function measure(urls: readonly string[]): Promise<number> {
  const seenAtMs: number[] = [];
  let refusedAtMs = Infinity;
  const answer: Answer = (request, response) => {
    seenAtMs.push(performance.now());
    if (request.number !== 240) {
      response.writeHead(200, { "content-type": "application/json" }).end('{"choices":[]}');
      return;
    }
    response.writeHead(429, { "content-type": "application/json", "retry-after": "2" });
    response.end('{"error":{"code":"rate_limited","retry_after":2}}');
    refusedAtMs = performance.now();
  };
  const target = await startTarget(answer);
  try {
    await runWithAgents({
      broker: broker.address,
      manifest: manifestFor(target.baseUrl),
      profile: { arrivals: { kind: "constant", ratePerSecond: 120 }, durationSeconds: 4, retry: { max: 0, retryAfter: "obey" } },
      onProcess: () => {},
      agents: urls.map((url) => ({ broker: { ...broker.address, url } })),
    });
    return Math.max(0, ...seenAtMs.filter((ms) => ms > refusedAtMs && ms < refusedAtMs + 1900).map((ms) => ms - refusedAtMs));
  } finally {
    await target.close();
  }
}
