import { createRandom, hashString } from "../../../src/core/random.ts";
import { isWhole } from "./sample.ts";

/** A mutant or a lawful variant: samples are drawn by its area. */
interface Drawn {
  readonly id: string;
  readonly area: string;
}

/** `npm test` asks a sample of them, `.ci/run` the rest after it, `npm run test:all` all at once. */
type SwitchShare = "sample" | "rest" | "all";

/** The part that belongs to this run. */
export const share: SwitchShare = isWhole ? "all" : process.env["ASSAY_TEST_SWITCHES"] === "rest" ? "rest" : "sample";

/** Seed of the sample, another each day. Vitest is told before its workers start, so that all of them draw by the same one. */
export const testDay: string = process.env["ASSAY_TEST_DAY"] || today();

/** Stands in the title of what is drawn, so that a failure can be run again. */
export const shareTitle: string = share === "sample" ? `sample of ASSAY_TEST_DAY=${testDay}` : share;

/** Those of a list that are asked in this run. Lists with different names draw apart from each other. */
export function askedOf<Item extends Drawn>(name: string, items: readonly Item[], oneIn: number): readonly Item[] {
  return shareOf(items, drawByArea(`${name}/${testDay}`, items, oneIn), share);
}

/** One in `oneIn` of each area, at least one. */
export function drawByArea<Item extends Drawn>(seed: string, items: readonly Item[], oneIn: number): ReadonlySet<Item> {
  const random = createRandom(hashString(seed));
  const ranked = items.map((item) => ({ item, rank: random.next() })).toSorted((one, other) => one.rank - other.rank);
  const drawn = new Set<Item>();
  for (const area of new Set(items.map((item) => item.area))) {
    const own = ranked.filter(({ item }) => item.area === area);
    for (const { item } of own.slice(0, Math.ceil(own.length / oneIn))) drawn.add(item);
  }
  return drawn;
}

/** In their order: the sample, the rest, or all. */
export function shareOf<Item>(items: readonly Item[], drawn: ReadonlySet<Item>, part: SwitchShare): readonly Item[] {
  if (part === "all") return items;
  return items.filter((item) => drawn.has(item) === (part === "sample"));
}

/** The day in UTC, as ISO 8601 writes it. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
