import { createRandom, hashString, type Random } from "../../src/core/random.ts";

/** What is sampled elsewhere is run as a whole. */
export const isWhole: boolean = process.env["ASSAY_TEST_ALL"] === "1";
/** Another one each day, or that of ASSAY_TEST_SEED. */
export const seedOfTheDay: string = process.env["ASSAY_TEST_SEED"] ?? new Date().toISOString().slice(0, 10);

/** Randomness that is another each day and the same all day. */
export function randomOfTheDay(name: string): Random {
  return createRandom(hashString(`${seedOfTheDay}/${name}`));
}

/**
 * One in `size` items, at least one, of a list that would take minutes as a whole, another part each day: over `size` days about everything is
 * run in `npm test` too. ASSAY_TEST_ALL=1 (`npm run test:all`) takes the whole, ASSAY_TEST_SEED a day again.
 */
export function sampleOfTheDay<Item>(items: readonly Item[], size: number): readonly Item[] {
  if (isWhole) return items;
  const random = randomOfTheDay(String(items.length));
  const drawn = items.map((item) => ({ item, rank: random.next() })).sort((one, other) => one.rank - other.rank);
  const kept = new Set(drawn.slice(0, Math.ceil(items.length / size)).map(({ item }) => item));
  return items.filter((item) => kept.has(item));
}

/** Stands in the title of what is sampled, so that a failure can be run again. */
export const sampleTitle: string = isWhole ? "all" : `sample of ASSAY_TEST_SEED=${seedOfTheDay}`;
