type Row = readonly number[];

/** One level of one dimension. */
type Place = readonly [dimension: number, level: number];

/** Levels of all dimensions together, at most: a set of them is a sum of powers of two. */
const mostLevels = 53;

/**
 * Rows in which each `strength` levels of as many dimensions stand together at least once: a covering array, made greedily.
 * `sizes`: how many levels each dimension has, 53 at most together. Each dimension has its levels from 0 on.
 */
export function coverTuples(sizes: readonly number[], strength: 2 | 3): readonly Row[] {
  const starts = sizes.map((_, dimension) => sizes.slice(0, dimension).reduce((sum, size) => sum + size, 0));
  if ((starts.at(-1) ?? 0) + (sizes.at(-1) ?? 0) > mostLevels) throw new RangeError(`more than ${mostLevels} levels`);
  const nameOf = (places: readonly Place[]): number =>
    places.reduce((sum, [dimension, level]) => sum + 2 ** ((starts[dimension] ?? 0) + level), 0);
  const all = sizes.map((size, dimension) => Array.from({ length: size }, (_, level): Place => [dimension, level]));
  const width = Math.min(strength, sizes.length);
  const tuples = chooseOf(all, width).flatMap((chosen) => combine(chosen));
  const open = new Map(tuples.map((places) => [nameOf(places), places]));
  const rows: Row[] = [];
  for (let [first] = open.values(); first !== undefined; [first] = open.values()) {
    const chosen = new Map(first);
    for (const [dimension, size] of sizes.entries()) {
      if (chosen.has(dimension)) continue;
      const beside = chooseOf([...chosen], width - 1).map(nameOf);
      const gain = (level: number): number => {
        const own = nameOf([[dimension, level]]);
        return beside.filter((name) => open.has(name + own)).length;
      };
      const uses = (level: number): number => rows.filter((row) => row[dimension] === level).length;
      // Counted once a level: a comparison that counts does so many times over, and all cases are made at start-up.
      const levels = Array.from({ length: size }, (_, level) => ({ level, gain: gain(level), uses: uses(level) }));
      const [best] = levels.toSorted((one, other) => other.gain - one.gain || one.uses - other.uses);
      chosen.set(dimension, best?.level ?? 0);
    }
    const row = sizes.map((_, dimension) => chosen.get(dimension) ?? 0);
    const places = row.map((level, dimension): Place => [dimension, level]);
    for (const covered of chooseOf(places, width)) open.delete(nameOf(covered));
    rows.push(row);
  }
  return rows;
}

/** So many of the items, in their order, in each way. */
function chooseOf<Item>(items: readonly Item[], count: number): readonly (readonly Item[])[] {
  if (count === 0) return [[]];
  return items.flatMap((item, place) => chooseOf(items.slice(place + 1), count - 1).map((rest) => [item, ...rest]));
}

/** One item of each list, in each way. */
function combine<Item>(lists: readonly (readonly Item[])[]): readonly (readonly Item[])[] {
  return lists.reduce<readonly (readonly Item[])[]>(
    (made, list) => made.flatMap((items) => list.map((item) => [...items, item])),
    [[]],
  );
}
