/** The greatest number of a stretch of a list: negative infinity of an empty one. */
export type RangeMost = (from: number, until: number) => number;

/** Segment tree; each answer in O(log n). */
export function createRangeMost(values: ArrayLike<number>): RangeMost {
  const size = values.length;
  const tree = new Float64Array(2 * size);
  for (let index = 0; index < size; index += 1) tree[size + index] = values[index]!;
  for (let node = size - 1; node >= 1; node -= 1) tree[node] = Math.max(tree[2 * node]!, tree[2 * node + 1]!);
  return (from, until) => {
    let most = Number.NEGATIVE_INFINITY;
    let [left, right] = [size + Math.max(0, from), size + Math.min(size, until)];
    for (; left < right; left >>= 1, right >>= 1) {
      if (left & 1) most = Math.max(most, tree[left++]!);
      if (right & 1) most = Math.max(most, tree[--right]!);
    }
    return most;
  };
}
