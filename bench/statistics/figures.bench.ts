import { createRandom } from "../../src/core/random.ts";
import type { Estimate } from "../../src/load/statistics/estimate.ts";
import { estimateMean } from "../../src/load/statistics/mean-interval.ts";
import { sampleSetOf } from "../../src/load/statistics/sample-set.ts";
import { estimateShare } from "../../src/load/statistics/share-interval.ts";
import { queues, type Queue } from "./queues.ts";

/**
 * Intervals of shares and means against the same queues: the share of requests that are answered within the true p50 and p95 (a rate of
 * good answers is that share of a schedule), and the mean latency where its truth is a formula. `tsx bench/statistics/figures.bench.ts
 * [runs] [values ...]` prints the table of docs/measurements/statistics.md.
 */

const [runs = 400, ...lengths] = process.argv.slice(2).map(Number);
const loads = [0.3, 0.5, 0.7, 0.9];

interface Cell {
  stated: number;
  covers: number;
  below: number;
  /** The bounds that gates are judged by lie beside the truth, also where no interval is stated. */
  wrong: number;
}

function measure(queue: Queue, load: number, length: number): readonly Cell[] {
  const cells = [0, 1, 2].map((): Cell => ({ stated: 0, covers: 0, below: 0, wrong: 0 }));
  const truths = [0.5, 0.95].map((p) => queue.truth(load, p));
  const mean = queue.mean?.(load);
  for (let run = 0; run < runs; run += 1) {
    const next = queue.start(load, createRandom(run).fork(`${queue.name}/${load}/${length}`));
    const values = Float64Array.from({ length }, next);
    for (const [place, truth] of truths.entries()) {
      const inOrder = values.map((value) => (value <= truth ? 1 : 0));
      const part = inOrder.reduce((sum, one) => sum + one, 0);
      count(cells[place], estimateShare({ part, whole: length, inOrder, times: values }), place === 0 ? 0.5 : 0.95);
    }
    if (mean !== undefined) count(cells[2], estimateMean(sampleSetOf(values)), mean);
  }
  return cells;
}

function count(cell: Cell | undefined, { low, high, bounds }: Estimate, truth: number): void {
  if (cell === undefined) return;
  if (bounds.most < truth || bounds.least > truth) cell.wrong += 1;
  if (low === null || high === null) return;
  cell.stated += 1;
  if (low <= truth && truth <= high) cell.covers += 1;
  if (high < truth) cell.below += 1;
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? "-" : (Math.round((1000 * part) / whole) / 10).toString();

for (const length of lengths.length === 0 ? [900, 9000] : lengths) {
  console.log(
    `\n${length} values, ${runs} runs: stated in % / of these covers, lies below the truth in % / bounds beside the truth in % of all\n`,
  );
  console.log("| queue, load | within the median | within p95 | mean |\n|---|---|---|---|");
  for (const queue of queues) {
    for (const load of loads) {
      const cells = measure(queue, load, length).map(({ stated, covers, below, wrong }, place) =>
        place === 2 && queue.mean === undefined
          ? ""
          : `${percent(stated, runs)} / ${percent(covers, stated)}, ${percent(below, stated)} / ${percent(wrong, runs)}`,
      );
      console.log(`| ${queue.name}, ${load} | ${cells.join(" | ")} |`);
    }
  }
}
