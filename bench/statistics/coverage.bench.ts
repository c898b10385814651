import { createRandom } from "../../src/core/random.ts";
import { sampleSetOf } from "../../src/load/statistics/sample-set.ts";
import { estimatePercentile } from "../../src/load/statistics/percentile-estimate.ts";
import { percentileInterval } from "../../src/load/statistics/percentile-interval.ts";
import { queues, type Queue } from "./queues.ts";

/**
 * Intervals of percentiles against queues whose truth is known: how often they are stated and cover it, and how often a gate 5 %
 * beside the truth would be judged wrongly. `tsx bench/statistics/coverage.bench.ts [runs] [values ...]` prints the tables of
 * docs/measurements/statistics.md.
 */

const [runs = 400, ...lengths] = process.argv.slice(2).map(Number);
const percentiles = [0.5, 0.95, 0.99];
const loads = [0.3, 0.5, 0.7, 0.9];

interface Cell {
  stated: number;
  covers: number;
  wrongPass: number;
  wrongFail: number;
  /** A gate at twice the truth passes. */
  passesTwice: number;
  /** Values that a run would need, as each run says it. */
  readonly needed: number[];
}

function measure(queue: Queue, load: number, length: number): readonly Cell[] {
  const cells = percentiles.map((): Cell => ({ stated: 0, covers: 0, wrongPass: 0, wrongFail: 0, passesTwice: 0, needed: [] }));
  for (let run = 0; run < runs; run += 1) {
    const next = queue.start(load, createRandom(run).fork(`${queue.name}/${load}/${length}`));
    const values = Float64Array.from({ length }, next);
    const samples = sampleSetOf(values);
    for (const [place, p] of percentiles.entries()) {
      const cell = cells[place];
      if (cell === undefined) continue;
      const truth = queue.truth(load, p);
      const { low, high, timesAsLong } = percentileInterval(values, { p });
      if (timesAsLong !== null) cell.needed.push(timesAsLong * length);
      // Gates are judged by these bounds, also where no interval is stated.
      const { bounds } = estimatePercentile(samples, 100 * p);
      if (bounds.most < 0.95 * truth) cell.wrongPass += 1;
      if (bounds.least > 1.05 * truth) cell.wrongFail += 1;
      if (bounds.most < 2 * truth) cell.passesTwice += 1;
      if (low === null || high === null) continue;
      cell.stated += 1;
      if (low <= truth && truth <= high) cell.covers += 1;
    }
  }
  return cells;
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? "-" : (Math.round((1000 * part) / whole) / 10).toString();
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

for (const length of lengths.length === 0 ? [900, 9000] : lengths) {
  console.log(
    `\n${length} values, ${runs} runs: stated in % / of these covers in % / gate 5 % beside the truth wrongly passed, failed in % / gate at twice the truth passed in % / values needed\n`,
  );
  console.log(`| queue, load | ${percentiles.map((p) => `p${100 * p}`).join(" | ")} |\n|---|---|---|---|`);
  for (const queue of queues) {
    for (const load of loads) {
      const cells = measure(queue, load, length).map(({ stated, covers, wrongPass, wrongFail, passesTwice, needed }) => {
        const length = needed.length === 0 ? "" : ` / ${Math.round(median(needed))}`;
        return `${percent(stated, runs)} / ${percent(covers, stated)} / ${percent(wrongPass, runs)}, ${percent(wrongFail, runs)} / ${percent(passesTwice, runs)}${length}`;
      });
      console.log(`| ${queue.name}, ${load} | ${cells.join(" | ")} |`);
    }
  }
}
