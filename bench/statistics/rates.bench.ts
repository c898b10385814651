import { createRandom } from "../../src/core/random.ts";
import type { Estimate } from "../../src/load/statistics/estimate.ts";
import { estimateMean } from "../../src/load/statistics/mean-interval.ts";
import { sampleSetOf } from "../../src/load/statistics/sample-set.ts";
import { estimateShare } from "../../src/load/statistics/share-interval.ts";
import { failures, type FigureSource, tokens } from "./failures.ts";

/**
 * Intervals of error rates, reject rates and token rates against sources whose truth is known. `tsx bench/statistics/rates.bench.ts
 * [runs] [values ...]` prints the tables of docs/measurements/statistics.md.
 */

const [runs = 400, ...lengths] = process.argv.slice(2).map(Number);

interface Cell {
  stated: number;
  covers: number;
  /** A gate 5 % below or above the truth, by the bounds that gates are judged by. */
  wrongPass: number;
  /** Of these the runs in which nothing failed. */
  blindPass: number;
  wrongFail: number;
  blindFail: number;
  passesTwice: number;
  failsHalf: number;
  failsFifth: number;
}

function measure(source: FigureSource, length: number, estimate: (values: Float64Array) => Estimate): Cell {
  const cell: Cell = {
    stated: 0,
    covers: 0,
    wrongPass: 0,
    blindPass: 0,
    wrongFail: 0,
    blindFail: 0,
    passesTwice: 0,
    failsHalf: 0,
    failsFifth: 0,
  };
  const { truth } = source;
  for (let run = 0; run < runs; run += 1) {
    const next = source.start(createRandom(run).fork(`${source.name}/${length}`));
    const values = Float64Array.from({ length }, next);
    const isBlind = source.isBlind(values);
    const { low, high, bounds } = estimate(values);
    if (bounds.most < 0.95 * truth) {
      cell.wrongPass += 1;
      if (isBlind) cell.blindPass += 1;
    }
    if (bounds.least > 1.05 * truth) {
      cell.wrongFail += 1;
      if (isBlind) cell.blindFail += 1;
    }
    if (bounds.most < 2 * truth) cell.passesTwice += 1;
    if (bounds.least > 0.5 * truth) cell.failsHalf += 1;
    if (bounds.least > 0.2 * truth) cell.failsFifth += 1;
    if (low === null || high === null) continue;
    cell.stated += 1;
    if (low <= truth && truth <= high) cell.covers += 1;
  }
  return cell;
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? "-" : (Math.round((1000 * part) / whole) / 10).toString();

function print(sources: readonly FigureSource[], length: number, estimate: (values: Float64Array) => Estimate): void {
  for (const source of sources) {
    const { stated, covers, wrongPass, blindPass, wrongFail, blindFail, passesTwice, failsHalf, failsFifth } = measure(
      source,
      length,
      estimate,
    );
    console.log(
      `| ${source.name} (${(100 * source.truth).toFixed(2)} %) | ${percent(stated, runs)} | ${percent(covers, stated)} | ${percent(wrongPass - blindPass, runs)} (${percent(blindPass, runs)}) | ${percent(wrongFail - blindFail, runs)} (${percent(blindFail, runs)}) | ${percent(passesTwice, runs)} | ${percent(failsHalf, runs)} | ${percent(failsFifth, runs)} |`,
    );
  }
}

for (const length of lengths.length === 0 ? [900, 9000] : lengths) {
  console.log(`\n${length} values, ${runs} runs, in %\n`);
  console.log(
    "| source (truth) | with an interval | that covers | 5 % below passes (and of runs without a failure) | 5 % above fails | twice passes | half fails | a fifth fails |\n|---|--:|--:|--:|--:|--:|--:|",
  );
  print(failures, length, (values) =>
    estimateShare({ part: values.reduce((sum, one) => sum + one, 0), whole: length, inOrder: values }),
  );
  print(tokens, length, (values) => estimateMean(sampleSetOf(values)));
}
