/**
 * The texts that masking takes longest for, found by a seeded climb: a text is a short sequence of pieces, repeated; of two sequences
 * the one that costs more is kept and changed again. `npm run bench:masking` prints them.
 */
import { createRandom } from "../../src/core/random.ts";

/** Escapes, encodings of encodings, parts of a key, separators, letters: all that a step of masking looks at. */
const pieces: readonly string[] = [
  ...'\\|%|=|&|/|\\\\|\\/|%25|%41|%5c|\\u0041|\\u005c|\\x41|\\101|&amp;|&#65;|&#x41;|U+0041|0x41|=41|=\n|"|{|[|<| |, |\n|é|ｓ|\u200b|sk_live_|sk_l|ive_|41|65, |A|U|V|7|Zx81'.split(
    "|",
  ),
  Buffer.from("ABCDEFGHIJKL").toString("base64"),
  Buffer.from(Buffer.from("ABCDEFGHIJKL").toString("base64")).toString("base64"),
  Buffer.from("UVUVVUUVUVVU").toString("base64"),
  Buffer.from("\\\\\\\\\\\\\\\\").toString("base64"),
  Buffer.from("%41%41%41%41").toString("hex"),
  "KRUGKIDROVUWG2ZAMJZG653OEBTG66BA",
];

export interface WorstText {
  readonly unit: string;
  /** Microseconds of CPU for a character. */
  readonly cost: number;
}

/** The worst of so many tries, worst first; `costOf` says the microseconds of CPU that a text takes. */
export function findWorstTexts(costOf: (text: string) => number, tries: number, length: number): readonly WorstText[] {
  const random = createRandom(35);
  const draw = (count: number): number => random.integer(0, count - 1);
  const found = new Map<string, number>();
  const measure = (unit: string): number => {
    const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
    const cost = Math.min(costOf(text), costOf(text)) / length;
    found.set(unit, cost);
    return cost;
  };
  let [best, bestCost]: [readonly string[], number] = [["\\"], 0];
  for (let count = 0; count < tries; count += 1) {
    const isFresh = count % 10 === 0;
    const next = isFresh ? [pieces[draw(pieces.length)] ?? ""] : [...best];
    if (!isFresh && draw(3) === 0 && next.length > 1) next.splice(draw(next.length), 1);
    for (let more = 0; more <= draw(3); more += 1) next.splice(draw(next.length + 1), 0, pieces[draw(pieces.length)] ?? "");
    const cost = measure(next.slice(0, 12).join(""));
    if (cost > bestCost) [best, bestCost] = [next.slice(0, 12), cost];
  }
  return [...found].map(([unit, cost]) => ({ unit, cost })).toSorted((one, other) => other.cost - one.cost);
}
