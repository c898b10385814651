import { createRandom, type Random } from "../../src/core/random.ts";
import { driftOf } from "../../src/load/statistics/steady-state.ts";
import { queues, queueServers, served } from "./queues.ts";

/**
 * The test of drift against queues that are settled, and against such that grow: `tsx bench/statistics/drift.bench.ts [runs] [values ...]`
 * prints the table of docs/measurements/statistics.md.
 */

const [runs = 400, ...lengths] = process.argv.slice(2).map(Number);

interface Series {
  readonly name: string;
  readonly start: (random: Random, length: number) => () => number;
}

/** More comes than is served, from an empty queue on. */
function overloadedBy(servers: number, load: number): Series {
  return { name: `M/M/${servers}, load ${load}`, start: (random) => served(servers, load, random) };
}

/** Answers of a settled queue that take `times` as long in the end as in the beginning. */
function slower(name: string, load: number, times: number): Series {
  return {
    name: `${name}, load ${load}, ${times} times as slow in the end`,
    start(random, length) {
      const next = queues.find((queue) => queue.name === name)?.start(load, random) ?? (() => Number.NaN);
      let at = 0;
      return () => next() * (1 + ((times - 1) * (at += 1)) / length);
    },
  };
}

const settled = queues.flatMap((queue) =>
  [0.3, 0.5, 0.7, 0.9].map((load): Series => ({
    name: `${queue.name}, load ${load}`,
    start: (random) => queue.start(load, random),
  })),
);
const growing = [
  ...[1.05, 1.2, 1.5].flatMap((load) => [overloadedBy(1, load), overloadedBy(queueServers, load)]),
  ...["M/M/1", "M/M/8"].flatMap((name) => [0.3, 0.7].flatMap((load) => [1.5, 3].map((times) => slower(name, load, times)))),
];

for (const length of lengths.length === 0 ? [900, 9000] : lengths) {
  console.log(
    `\n${length} values, ${runs} runs: a growth is found, a drift of either sign, in %\n\n| series | grows | drifts |\n|---|--:|--:|`,
  );
  for (const { name, start } of [...settled, ...growing]) {
    let [grows, drifts] = [0, 0];
    for (let run = 0; run < runs; run += 1) {
      const drift = driftOf(Float64Array.from({ length }, start(createRandom(run).fork(`${name}/${length}`), length)));
      if (drift === 1) grows += 1;
      if (drift !== 0) drifts += 1;
    }
    console.log(`| ${name} | ${((100 * grows) / runs).toFixed(1)} | ${((100 * drifts) / runs).toFixed(1)} |`);
  }
}
