import { createRandom } from "../../src/core/random.ts";
import { dependenceOf } from "../../src/load/statistics/dependence.ts";
import { orderScores } from "../../src/load/statistics/order-scores.ts";
import { percentileInterval } from "../../src/load/statistics/percentile-interval.ts";
import { queues, type Queue } from "./queues.ts";

/**
 * The length that inconclusive runs say they need for their p95, held against 600 times the dependence of four times 300,000 values:
 * `tsx bench/statistics/needed.bench.ts [runs] [values ...]` prints the table of docs/measurements/statistics.md.
 */
const [runs = 400, ...lengths] = process.argv.slice(2).map(Number);
const timesNeeded = 600;

const percent = (part: number, whole: number): string => (whole === 0 ? "-" : ((100 * part) / whole).toFixed(0));

/** Of four long runs. */
function dependenceIn(queue: Queue, load: number): number {
  const times = [1, 2, 3, 4].map((run) => {
    const long = Float64Array.from({ length: 300_000 }, queue.start(load, createRandom(run).fork(`${queue.name}/${load}`)));
    return dependenceOf(orderScores(long, long.toSorted())).time;
  });
  return times.reduce((sum, time) => sum + time, 0) / times.length;
}

for (const length of lengths.length === 0 ? [900, 9000] : lengths) {
  console.log(`\n${length} values, ${runs} runs\n`);
  console.log(
    "| queue, load | values over dependence | about N, in % | right within two | at least N, in % | true |\n|---|--:|--:|--:|--:|--:|",
  );
  for (const queue of queues) {
    for (const load of [0.3, 0.5, 0.7, 0.9]) {
      const time = dependenceIn(queue, load);
      const truth = (timesNeeded * time) / length;
      let [abouts, right, leasts, kept] = [0, 0, 0, 0];
      for (let run = 0; run < runs; run += 1) {
        const next = queue.start(load, createRandom(run).fork(`${queue.name}/${load}/${length}`));
        const { timesAsLong, timesAtLeast } = percentileInterval(Float64Array.from({ length }, next), { p: 0.95 });
        if (timesAsLong === null) continue;
        if (timesAtLeast) {
          leasts += 1;
          if (timesAsLong <= truth) kept += 1;
        } else {
          abouts += 1;
          if (timesAsLong <= 2 * truth && truth <= 2 * timesAsLong) right += 1;
        }
      }
      console.log(
        `| ${queue.name}, ${load} | ${(length / time).toFixed(0)} | ${percent(abouts, runs)} | ${percent(right, abouts)} | ${percent(leasts, runs)} | ${percent(kept, leasts)} |`,
      );
    }
  }
}
