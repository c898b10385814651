/** Counts what was added at positions so far, each in O(log n). */
export interface RankedCounts {
  add(index: number): void;
  /** How many were added at positions up to and including `index`. */
  upTo(index: number): number;
}

/** Fenwick tree. */
export function createRankedCounts(size: number): RankedCounts {
  const tree = new Int32Array(size + 1);
  return {
    add: (index) => {
      for (let at = index + 1; at <= size; at += at & -at) tree[at] = tree[at]! + 1;
    },
    upTo: (index) => {
      let sum = 0;
      for (let at = Math.min(index + 1, size); at > 0; at -= at & -at) sum += tree[at]!;
      return sum;
    },
  };
}
