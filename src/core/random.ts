/** Seeded source of randomness; equal seeds give equal sequences on every platform. */
export interface Random {
  /** Uniform in [0, 1) with 32 bits. */
  next(): number;
  /** Uniform integer in [low, high]. */
  integer(low: number, high: number): number;
  /** Independent stream derived from this seed and a name; does not advance this one. */
  fork(name: string): Random;
}

/** xoshiro128** (Blackman and Vigna 2018), its state filled by splitmix32 from the seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const split = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  let [a, b, c, d] = [split(), split(), split(), split()];
  const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));
  const next = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result / 2 ** 32;
  };
  return {
    next,
    integer: (low, high) => low + Math.floor(next() * (high - low + 1)),
    fork: (name) => createRandom(hashString(`${seed}/${name}`)),
  };
}

/** FNV-1a, 32 bits, over UTF-16 code units. */
export function hashString(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
