type Row = readonly number[];

/**
 * Rows in which each two levels of two dimensions stand together at least once: a covering array of strength 2, made greedily.
 * `sizes`: how many levels each dimension has. Each dimension has its levels from 0 on.
 */
export function coverPairs(sizes: readonly number[]): readonly Row[] {
  const open = new Set<string>();
  const key = (one: number, level: number, other: number, otherLevel: number): string =>
    one < other ? `${one}.${level}-${other}.${otherLevel}` : `${other}.${otherLevel}-${one}.${level}`;
  for (const [one, size] of sizes.entries()) {
    for (let other = one + 1; other < sizes.length; other += 1) {
      for (let level = 0; level < size; level += 1) {
        for (let otherLevel = 0; otherLevel < (sizes[other] ?? 0); otherLevel += 1) open.add(key(one, level, other, otherLevel));
      }
    }
  }
  const rows: Row[] = [];
  for (let [first] = open; first !== undefined; [first] = open) {
    const chosen = new Map(first.split("-").map((part) => part.split(".").map(Number) as [number, number]));
    for (const [dimension, size] of sizes.entries()) {
      if (chosen.has(dimension)) continue;
      const gain = (level: number): number =>
        [...chosen].filter(([other, otherLevel]) => open.has(key(dimension, level, other, otherLevel))).length;
      const uses = (level: number): number => rows.filter((row) => row[dimension] === level).length;
      // Counted once a level: a comparison that counts does so many times over, and all cases are made at start-up.
      const levels = Array.from({ length: size }, (_, level) => ({ level, gain: gain(level), uses: uses(level) }));
      const [best] = levels.toSorted((one, other) => other.gain - one.gain || one.uses - other.uses);
      chosen.set(dimension, best?.level ?? 0);
    }
    const row = sizes.map((_, dimension) => chosen.get(dimension) ?? 0);
    for (const [one, level] of row.entries()) {
      for (let other = one + 1; other < row.length; other += 1) open.delete(key(one, level, other, row[other] ?? 0));
    }
    rows.push(row);
  }
  return rows;
}
