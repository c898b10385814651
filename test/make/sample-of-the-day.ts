import { createRandom, hashString, type Random } from "../../src/core/random.ts";

const all = process.env["ASSAY_TEST_ALL"] === "1";
const seed = process.env["ASSAY_TEST_SEED"] ?? new Date().toISOString().slice(0, 10);

/** Randomness that is another each day and the same all day. */
export function randomOfTheDay(name: string): Random {
  return createRandom(hashString(`${seed}/${name}`));
}

/**
 * Every `size`-th item of a list that would take minutes as a whole, another part each day: over `size` days about everything is
 * run in `npm test` too. ASSAY_TEST_ALL=1 (`npm run test:all`) takes the whole, ASSAY_TEST_SEED a day again.
 */
export function sampleOfTheDay<Item>(items: readonly Item[], size: number): readonly Item[] {
  if (all) return items;
  const random = randomOfTheDay(String(items.length));
  return items.filter(() => random.integer(1, size) === 1);
}

/** Stands in the title of what is sampled, so that a failure can be run again. */
export const sampleTitle: string = all ? "all" : `sample of ASSAY_TEST_SEED=${seed}`;
