import { createRandom, hashString, type Random } from "../../../src/core/random.ts";

/** True: everything runs that is sampled elsewhere. */
export const isWhole: boolean = process.env["ASSAY_TEST_ALL"] === "1";
/**
 * Seed of all samples and properties. `npm test` has one seed, so that a red run comes from a change and not from the date;
 * `npm run test:all` another each day. ASSAY_TEST_SEED repeats a run.
 */
export const testSeed: string = process.env["ASSAY_TEST_SEED"] ?? (isWhole ? new Date().toISOString().slice(0, 10) : "assay");

/** Randomness of one test, by the seed of the run. */
export function testRandom(name: string): Random {
  return createRandom(hashString(`${testSeed}/${name}`));
}

/** One in `size` items, at least one, of a list that would take minutes as a whole; all of them in `npm run test:all`. */
export function sampleOf<Item>(items: readonly Item[], size: number): readonly Item[] {
  if (isWhole) return items;
  const random = testRandom(String(items.length));
  const drawn = items.map((item) => ({ item, rank: random.next() })).sort((one, other) => one.rank - other.rank);
  const kept = new Set(drawn.slice(0, Math.ceil(items.length / size)).map(({ item }) => item));
  return items.filter((item) => kept.has(item));
}

/** Of a property that is as good as sure to fail within so many runs where it does not hold: a third of them, all in `npm run test:all`. */
export function runsOf(whole: number): number {
  return isWhole ? whole : Math.ceil(whole / 3);
}

/** True: generated files and command lines are as many as a night has time for. */
const isNight: boolean = isWhole || process.env["ASSAY_TEST_NIGHT"] === "1";

/** How many of something are generated: so many in CI, and more by night (ASSAY_TEST_NIGHT=1, and in `npm run test:all`). */
export function countOf({ inCi, byNight }: { readonly inCi: number; readonly byNight: number }): number {
  return isNight ? byNight : inCi;
}

/** Stands in the title of what is sampled, so that a failure can be run again. */
export const sampleTitle: string = isWhole ? "all" : `sample of ASSAY_TEST_SEED=${testSeed}`;
