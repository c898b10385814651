import { createRandom } from "../../src/core/random.ts";
import { knownServers, type KnownServer } from "./servers.ts";

/**
 * The requests that no search can do without which counts those that miss a bound: if all of them were sent at the knee, in one trial
 * that has settled. `tsx bench/capacity/bound.bench.ts` prints the table of docs/measurements/capacity.md.
 */
const requests = 1_000_000;
const allowed = 0.05;

/** Misses of a long trial at a level, in order, without its beginning. */
function missesAt(server: KnownServer, level: number): Float64Array {
  const latencies = server.run(level, requests, createRandom(1).fork(`${server.name}/${level}`));
  return latencies.subarray(requests / 20).map((latency) => (latency > server.bound ? 1 : 0));
}

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** So many successive requests say as much as one, by means of batches of 20,000. */
function timeOf(misses: Float64Array): number {
  const size = 20_000;
  const mean = meanOf(misses);
  const batches = Array.from({ length: Math.floor(misses.length / size) }, (_, batch) =>
    meanOf(misses.subarray(batch * size, (batch + 1) * size)),
  );
  const squares = batches.reduce((sum, one) => sum + (one - mean) ** 2, 0) / batches.length;
  return Math.max(1, (size * squares) / (mean * (1 - mean)));
}

const logOdds = (share: number): number => Math.log(share / (1 - share));

/** By how much the log-odds of a miss rise with the logarithm of the level. */
function slopeOf(server: KnownServer): number {
  const step = server.of === "rate" ? 0.01 * server.knee : 1;
  const [below, above] = [server.knee - step, server.knee + step];
  const [low, high] = [meanOf(missesAt(server, below)), meanOf(missesAt(server, above))];
  return (logOdds(high) - logOdds(low)) / Math.log(above / below);
}

console.log(
  "| server | knee | one says as much as | log-odds by log level | requests for 95 of 100 within 5 % |\n|---|---|---|---|---|",
);
for (const server of knownServers) {
  const [time, slope] = [timeOf(missesAt(server, server.knee)), slopeOf(server)];
  const deviation = (slope * Math.log(1.05)) / 1.96;
  const needed = time / (allowed * (1 - allowed) * deviation ** 2);
  console.log(
    `| ${server.name} | ${Number(server.knee.toPrecision(4))} | ${time.toFixed(0)} | ${slope.toFixed(1)} | ${needed.toPrecision(2)} |`,
  );
}
