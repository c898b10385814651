import { createRandom } from "../../src/core/random.ts";
import type { CapacityTrial } from "../../src/load/capacity/capacity-trial.ts";
import { fitCapacity } from "../../src/load/capacity/fit-capacity.ts";
import { missesOf } from "../../src/load/capacity/misses-of.ts";
import { type CapacityBounds, nextOf } from "../../src/load/capacity/next-trial.ts";
import { knownServers, type KnownServer } from "./servers.ts";

/**
 * Searches for capacity against servers in virtual time whose knee is known: how many end within 5 % of it, and with how many
 * requests. `tsx bench/capacity/capacity.bench.ts [searches] [maxRequests] [precision]` prints the table of
 * docs/measurements/capacity.md.
 */
const [searches = 100, maxRequests = 100_000, precision = 0.05] = process.argv.slice(2).map(Number);

interface Found {
  readonly value: number;
  /** Ends of the interval, in parts of the knee. */
  readonly low: number;
  readonly high: number;
  readonly isCovered: boolean;
  readonly requests: number;
  readonly stop: string;
}

function search(server: KnownServer, seed: number): Found {
  const { from, to, bound, knee } = server;
  const whole = server.of === "concurrency";
  const random = createRandom(seed).fork(server.name);
  const limits = { maxRequests, maxSeconds: Infinity, leastRequests: 200, leastSeconds: 0 };
  const bounds: CapacityBounds = { from, to, whole, precision, ...limits };
  const trials: CapacityTrial[] = [];
  let next = nextOf(trials, bounds);
  while (typeof next !== "string") {
    const { level, requests = 0 } = next;
    const latencies = server.run(level, requests, random.fork(`${trials.length}`));
    // The same parts that a real trial leaves out.
    const tail = whole ? level : 0;
    const settled = latencies.subarray(Math.ceil(Math.max(0.2 * requests, tail)), requests - tail);
    const misses = Float64Array.from(settled, (latency) => (latency > bound ? 1 : 0));
    trials.push({ level, requests, seconds: 0, isLate: false, counts: [missesOf("bound", 0.05, { misses, values: settled })] });
    next = nextOf(trials, bounds);
  }
  const fit = fitCapacity(trials);
  const round = whole ? Math.floor : (level: number): number => level;
  return {
    value: round(fit.value),
    low: round(fit.low) / knee,
    high: round(fit.high) / knee,
    isCovered: round(fit.low) <= knee && knee <= round(fit.high),
    requests: trials.reduce((sum, trial) => sum + trial.requests, 0),
    stop: next,
  };
}

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(part * values.length)] ?? Number.NaN;

/** `0.93 to 1.06 (0.81 to 1.20)`: medians of both ends, and what nine of ten do not exceed. */
function writeEnds(found: readonly Found[]): string {
  const [lows, highs] = [found.map(({ low }) => low), found.map(({ high }) => high)];
  const at = (part: number): string => `${quantile(lows, 1 - part).toFixed(2)} to ${quantile(highs, part).toFixed(2)}`;
  return `${at(0.5)} (${at(0.9)})`;
}

console.log(
  "| server | knee | within 5 % | interval covers | its ends, of the knee | requests, median | most | narrow enough |\n|---|---|---|---|---|---|---|---|",
);
for (const server of knownServers) {
  const found = Array.from({ length: searches }, (_, seed) => search(server, seed));
  const count = (where: (one: Found) => boolean): number => found.filter(where).length;
  const cells = [
    server.name,
    Number(server.knee.toPrecision(4)),
    count(({ value }) => Math.abs(value / server.knee - 1) <= 0.05),
    count(({ isCovered }) => isCovered),
    writeEnds(found),
    quantile(
      found.map(({ requests }) => requests),
      0.5,
    ),
    Math.max(...found.map(({ requests }) => requests)),
    count(({ stop }) => stop === "narrow"),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
