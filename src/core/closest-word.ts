/** Our own words are shorter, and a distance takes time by the lengths of both. */
const longestWord = 64;

/**
 * The candidate that a typing error most likely meant: at most a third of its letters differ, or the word is its beginning
 * (`duration` for `durationSeconds`); null when none is near.
 */
export function closestWord(word: string, candidates: readonly string[]): string | null {
  if (word.length > longestWord) return null;
  let best: string | null = null;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  if (best !== null && bestDistance <= Math.max(1, Math.floor(best.length / 3))) return best;
  const longer = candidates.filter((candidate) => word.length >= 4 && candidate.toLowerCase().startsWith(word.toLowerCase()));
  return longer.length === 1 ? longer[0]! : null;
}

/** Levenshtein distance, one row at a time, where two neighbours that changed places count as one mistake (`chta`). */
function editDistance(one: string, other: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const substituted = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = isSwap ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(substituted, swapped, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[other.length]!;
}
