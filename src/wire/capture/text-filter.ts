/** Length of the pieces by which texts are recognized. */
const gramLength = 8;
/** Shorter needles are looked for one by one: they would have to be sampled at almost every character. */
const shortestSampled = 16;
/** A power of two, many times the pieces of all needles. */
const sketchBytes = 65_536;

/**
 * Whether a text may hold one of many needles, in the time of a few lookups: a needle of L characters holds a whole piece of
 * 8 that begins at a multiple of L - 7, so that only those pieces are looked up. Says true rarely without reason, never false
 * without.
 */
export function createTextFilter(needles: readonly string[]): (text: string) => boolean {
  // Whoever holds a needle holds every needle inside it.
  const telling = [...new Set(needles)].filter((needle) => !needles.some((part) => part !== needle && needle.includes(part)));
  const short = telling.filter((needle) => needle.length < shortestSampled);
  const long = telling.filter((needle) => needle.length >= shortestSampled);
  const stride = Math.min(...long.map((needle) => needle.length)) - gramLength + 1;
  const grams = new Set<number>();
  // Nearly all pieces of a text are in no needle: one byte tells, and the set is asked about the rest.
  const sketch = new Uint8Array(sketchBytes);
  for (const needle of long) {
    for (let at = 0; at + gramLength <= needle.length; at += 1) {
      const hash = hashGram(needle, at);
      grams.add(hash);
      sketch[hash & (sketchBytes - 1)] = 1;
    }
  }
  return (text) => {
    for (const needle of short) if (text.includes(needle)) return true;
    if (grams.size === 0) return false;
    const last = text.length - gramLength;
    for (let at = 0; at <= last; at += stride) {
      const hash = hashGram(text, at);
      if (sketch[hash & (sketchBytes - 1)] === 1 && grams.has(hash)) return true;
    }
    return false;
  };
}

function hashGram(text: string, from: number): number {
  let hash = 0;
  for (let at = from; at < from + gramLength; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
