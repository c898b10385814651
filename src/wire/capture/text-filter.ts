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
  const [short, long] = chosenNeedles(needles);
  const stride = Math.min(...long.map((needle) => needle.length)) - gramLength + 1;
  const grams = new Set<number>();
  // Nearly all pieces of a text are in no needle: one byte shows it, and the set is asked about the rest.
  const sketch = new Uint8Array(sketchBytes);
  for (const needle of long) {
    for (const hash of hashGrams(needle)) {
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

/**
 * A text that holds a needle holds every needle inside it as well, so that only the innermost are looked for: those below
 * `shortestSampled`, and the others. A target of thirty keys has some thousand forms to hide: they find each other by their first
 * piece, not one by one.
 */
function chosenNeedles(needles: readonly string[]): readonly [short: readonly string[], long: readonly string[]] {
  const rising = [...new Set(needles)].sort((one, other) => one.length - other.length);
  const short: string[] = [];
  const long: string[] = [];
  const byFirstGram = new Map<number, string[]>();
  const holdsOther = (needle: string): boolean =>
    hashGrams(needle).some((hash, at) => byFirstGram.get(hash)?.some((other) => needle.startsWith(other, at)) === true);
  for (const needle of rising) {
    if (short.some((part) => needle.includes(part))) continue;
    if (needle.length < shortestSampled) {
      short.push(needle);
      continue;
    }
    if (holdsOther(needle)) continue;
    long.push(needle);
    const first = hashGram(needle, 0);
    const known = byFirstGram.get(first);
    if (known === undefined) byFirstGram.set(first, [needle]);
    else known.push(needle);
  }
  return [short, long];
}

/** The hash of every piece of a text, each from the one before. */
function hashGrams(text: string): Int32Array {
  const hashes = new Int32Array(Math.max(0, text.length - gramLength + 1));
  let hash = hashes.length === 0 ? 0 : hashGram(text, 0);
  for (let at = 0; at < hashes.length; at += 1) {
    hashes[at] = hash;
    const withoutFirst = hash - Math.imul(text.charCodeAt(at), hashWeight);
    hash = (Math.imul(withoutFirst, hashBase) + text.charCodeAt(at + gramLength)) | 0;
  }
  return hashes;
}

const hashBase = 31;
/** Of the first character of a piece. */
const hashWeight = Array.from({ length: gramLength - 1 }).reduce((weight: number) => Math.imul(weight, hashBase), 1);

function hashGram(text: string, from: number): number {
  let hash = 0;
  for (let at = from; at < from + gramLength; at += 1) hash = (Math.imul(hash, hashBase) + text.charCodeAt(at)) | 0;
  return hash;
}
