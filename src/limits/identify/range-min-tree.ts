/** Adds to a prefix of positions and asks for the minimum of a prefix, each in O(log n). */
export interface RangeMinTree {
  addToPrefix(count: number, value: number): void;
  minOfPrefix(count: number): number;
}

export function createRangeMinTree(initial: ArrayLike<number>): RangeMinTree {
  let size = 1;
  while (size < Math.max(1, initial.length)) size *= 2;
  const least = new Float64Array(2 * size).fill(Number.POSITIVE_INFINITY);
  const pending = new Float64Array(2 * size);
  for (let index = 0; index < initial.length; index += 1) least[size + index] = initial[index]!;
  for (let node = size - 1; node >= 1; node -= 1) least[node] = Math.min(least[2 * node]!, least[2 * node + 1]!);

  const add = (node: number, from: number, to: number, count: number, value: number): void => {
    if (count <= from) return;
    if (count >= to) {
      least[node] = least[node]! + value;
      pending[node] = pending[node]! + value;
      return;
    }
    const middle = (from + to) / 2;
    add(2 * node, from, middle, count, value);
    add(2 * node + 1, middle, to, count, value);
    least[node] = Math.min(least[2 * node]!, least[2 * node + 1]!) + pending[node]!;
  };
  const min = (node: number, from: number, to: number, count: number): number => {
    if (count <= from) return Number.POSITIVE_INFINITY;
    if (count >= to) return least[node]!;
    const middle = (from + to) / 2;
    return Math.min(min(2 * node, from, middle, count), min(2 * node + 1, middle, to, count)) + pending[node]!;
  };
  return {
    addToPrefix: (count, value) => add(1, 0, size, count, value),
    minOfPrefix: (count) => min(1, 0, size, count),
  };
}
