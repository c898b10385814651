/** Most marks that one chart may hold. */
export const maxMarks = 3_000;

/**
 * Thins points so that no pixel column keeps more than its first, last, lowest and highest: extremes survive. Returns the
 * input when it is small enough.
 */
export function thinMarks<T>(
  points: readonly T[],
  column: (point: T) => number,
  value: (point: T) => number,
  limit: number = maxMarks,
): readonly T[] {
  if (points.length <= limit) return points;
  const columns = Math.max(1, Math.floor(limit / 4));
  let low = Infinity;
  let high = -Infinity;
  for (const point of points) {
    const at = column(point);
    if (at < low) low = at;
    if (at > high) high = at;
  }
  const width = (high - low) / columns || 1;
  const kept = new Map<number, { first: number; last: number; lowest: number; highest: number }>();
  for (const [index, point] of points.entries()) {
    const bucket = Math.min(columns - 1, Math.floor((column(point) - low) / width));
    const entry = kept.get(bucket);
    if (entry === undefined) {
      kept.set(bucket, { first: index, last: index, lowest: index, highest: index });
      continue;
    }
    entry.last = index;
    if (value(point) < value(points[entry.lowest] ?? point)) entry.lowest = index;
    if (value(point) > value(points[entry.highest] ?? point)) entry.highest = index;
  }
  const indices = new Set([...kept.values()].flatMap(({ first, last, lowest, highest }) => [first, last, lowest, highest]));
  return points.filter((_, index) => indices.has(index));
}
