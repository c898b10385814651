/** Which pieces of needles a text is searched for. */
export interface GramOptions {
  /** Characters of a piece. */
  readonly gramLength: number;
  /** Characters of the shortest text that has to be found: of each such text one piece begins at a multiple of the stride. */
  readonly shortest: number;
  /** Upper case counts as lower case. */
  readonly foldsCase: boolean;
}

/** Whether `isWanted` takes one of the places at which a piece of a needle may stand in the text. */
export type GramSearch = (text: string, isWanted: (at: number, needle: number, place: number) => boolean) => boolean;

/** A power of two, many times the pieces of all needles. */
const sketchBytes = 65_536;
const hashBase = 31;

/**
 * Finds pieces of many needles in the time of a few lookups for each needle's length of text: a part of L characters holds a whole
 * piece of G that begins at a multiple of L - G + 1, so that only those pieces are looked up. May report a place without reason, as
 * pieces are known by their hashes, and misses none.
 */
export function createGramIndex(needles: readonly string[], { gramLength, shortest, foldsCase }: GramOptions): GramSearch {
  const codes = foldsCase ? lowerCodes : sameCodes;
  const hashAt = (text: string, from: number): number => {
    let hash = 0;
    for (let at = from; at < from + gramLength; at += 1) {
      const code = text.charCodeAt(at);
      hash = (Math.imul(hash, hashBase) + (code < codes.length ? (codes[code] ?? 0) : code)) | 0;
    }
    return hash;
  };
  /** Needle and place in it, in turns, by the hash of the piece. */
  const places = new Map<number, number[]>();
  // Nearly all pieces of a text are in no needle: one byte shows it, and the map is asked about the rest.
  const sketch = new Uint8Array(sketchBytes);
  for (const [index, needle] of needles.entries()) {
    for (let place = 0; place + gramLength <= needle.length; place += 1) {
      const hash = hashAt(needle, place);
      const known = places.get(hash);
      if (known === undefined) places.set(hash, [index, place]);
      else known.push(index, place);
      sketch[sketchPlace(hash)] = 1;
    }
  }
  const stride = Math.max(1, shortest - gramLength + 1);
  return (text, isWanted) => {
    for (let at = 0; at + gramLength <= text.length; at += stride) {
      const hash = hashAt(text, at);
      if (sketch[sketchPlace(hash)] === 0) continue;
      const known = places.get(hash);
      if (known === undefined) continue;
      for (let entry = 0; entry < known.length; entry += 2) {
        if (isWanted(at, known[entry] ?? 0, known[entry + 1] ?? 0)) return true;
      }
    }
    return false;
  };
}

/** The low bits of a hash over similar pieces are alike. */
function sketchPlace(hash: number): number {
  return (Math.imul(hash, 0x9e3779b1) >>> 16) & (sketchBytes - 1);
}

const sameCodes = Uint8Array.from({ length: 128 }, (_, code) => code);
const lowerCodes = sameCodes.map((code) => (code >= 65 && code <= 90 ? code + 32 : code));
