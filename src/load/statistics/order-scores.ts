/**
 * Scores of values by their place in the order: those of an exponential distribution (Savage 1956), of mean and deviation one. They
 * show how waits in a queue hang together and are not ruled by a few extreme ones. Equal values share a score.
 */
export function orderScores(values: Float64Array, sorted: Float64Array): Float64Array {
  const n = values.length;
  return values.map((value) => {
    const before = countBelow(sorted, value);
    const upTo = countUpTo(sorted, value, before);
    return -Math.log1p(-(before + upTo) / 2 / n);
  });
}

function countBelow(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function countUpTo(sorted: Float64Array, value: number, from: number): number {
  let low = from;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
