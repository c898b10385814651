const values: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  "",
  "x",
  "\u001b[2J",
  [],
  {},
  [null],
  { length: 7 },
  true,
  "9".repeat(50),
];

/** A JSON document with values in the place of others, and members left out. `random(most)`: an integer from 0 to `most`. */
export function confuseJson(document: unknown, random: (most: number) => number, oneIn = 12): unknown {
  if (random(oneIn) === 0) return values[random(values.length - 1)];
  if (Array.isArray(document)) return document.slice(0, 30).map((one) => confuseJson(one, random, oneIn));
  if (typeof document !== "object" || document === null) return document;
  return Object.fromEntries(
    Object.entries(document)
      .filter(() => random(4 * oneIn) > 0)
      .map(([name, value]) => [name, confuseJson(value, random, oneIn)]),
  );
}
