/** Length of the pieces by which texts are recognized. */
const gramLength = 8;
/** Shorter needles are looked for one by one: they would have to be sampled at almost every character. */
const shortestSampled = 16;

/**
 * Whether a text may hold one of many needles, in the time of a few lookups: a needle of L characters holds a whole piece of
 * 8 that begins at a multiple of L - 7, so that only those pieces are looked up. Says true rarely without reason, never false
 * without.
 */
export function createTextFilter(needles: readonly string[]): (text: string) => boolean {
  const short = needles.filter((needle) => needle.length < shortestSampled);
  const long = needles.filter((needle) => needle.length >= shortestSampled);
  const stride = Math.min(...long.map((needle) => needle.length)) - gramLength + 1;
  const grams = new Set<number>();
  for (const needle of long) {
    for (let at = 0; at + gramLength <= needle.length; at += 1) grams.add(hashGram(needle, at));
  }
  return (text) => {
    for (const needle of short) if (text.includes(needle)) return true;
    if (grams.size === 0) return false;
    for (let at = 0; at + gramLength <= text.length; at += stride) if (grams.has(hashGram(text, at))) return true;
    return false;
  };
}

function hashGram(text: string, from: number): number {
  let hash = 0;
  for (let at = from; at < from + gramLength; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
