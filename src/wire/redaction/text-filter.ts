import { createGramIndex } from "./gram-index.ts";

const gramLength = 8;
/** Shorter needles are looked for one by one: they would have to be sampled at almost every character. */
const shortestSampled = 16;

/**
 * Whether a text may hold one of many needles, in the time of a few lookups. Says true rarely without reason, never false without.
 */
export function createTextFilter(needles: readonly string[]): (text: string) => boolean {
  const { short, long } = innermostOf(needles);
  const shortest = Math.min(...long.map((needle) => needle.length));
  const search = long.length === 0 ? null : createGramIndex(long, { gramLength, shortest, foldsCase: false });
  return (text) => {
    for (const needle of short) if (text.includes(needle)) return true;
    return search?.(text, always) === true;
  };
}

const always = (): boolean => true;

interface Innermost {
  readonly short: readonly string[];
  readonly long: readonly string[];
}

/**
 * A text that holds a needle holds every needle inside it as well, so that only the innermost are looked for: those below
 * `shortestSampled`, and the others. A target of thirty keys has some thousand forms to hide: they find each other by their first
 * piece, not one by one.
 */
function innermostOf(needles: readonly string[]): Innermost {
  const rising = [...new Set(needles)].sort((one, other) => one.length - other.length);
  const short: string[] = [];
  const long: string[] = [];
  const byFirstGram = new Map<string, string[]>();
  const holdsOther = (needle: string): boolean => {
    for (let at = 0; at + gramLength <= needle.length; at += 1) {
      const starting = byFirstGram.get(needle.slice(at, at + gramLength));
      if (starting?.some((other) => needle.startsWith(other, at)) === true) return true;
    }
    return false;
  };
  for (const needle of rising) {
    if (short.some((part) => needle.includes(part))) continue;
    if (needle.length < shortestSampled) {
      short.push(needle);
      continue;
    }
    if (holdsOther(needle)) continue;
    long.push(needle);
    const first = needle.slice(0, gramLength);
    const known = byFirstGram.get(first);
    if (known === undefined) byFirstGram.set(first, [needle]);
    else known.push(needle);
  }
  return { short, long };
}
