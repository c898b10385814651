const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const none = "-";
const valueOf: Int8Array = new Int8Array(128).fill(-1);
for (let value = 0; value < digits.length; value += 1) valueOf[digits.charCodeAt(value)] = value;

/**
 * Integers as text, null as `-`: base64 VLQ as in source maps (ECMA-426), where the lowest bit is the sign and every digit holds five
 * bits, the lowest first, and whether another follows. Throws RangeError for what is no safe integer.
 */
export function encodeVlq(values: readonly (number | null)[]): string {
  let text = "";
  for (const value of values) {
    if (value === null) {
      text += none;
      continue;
    }
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no safe integer`);
    const magnitude = Math.abs(value);
    let rest = Math.floor(magnitude / 16);
    text += digits[((magnitude % 16) << 1) | (value < 0 ? 1 : 0) | (rest > 0 ? 32 : 0)];
    while (rest > 0) {
      const low = rest % 32;
      rest = Math.floor(rest / 32);
      text += digits[low | (rest > 0 ? 32 : 0)];
    }
  }
  return text;
}

/** The integers again; null where the text is not `count` of them. */
export function decodeVlq(text: string, count: number): (number | null)[] | null {
  // Every value takes a digit: what claims more is refused before anything is allocated for it.
  if (count > text.length) return null;
  const values: (number | null)[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === none) {
      values.push(null);
      at += 1;
      continue;
    }
    let digit = valueOf[text.charCodeAt(at)] ?? -1;
    at += 1;
    if (digit < 0) return null;
    const negative = (digit & 1) === 1;
    let magnitude = (digit & 31) >> 1;
    let weight = 16;
    while ((digit & 32) !== 0) {
      digit = valueOf[text.charCodeAt(at)] ?? -1;
      at += 1;
      if (digit < 0) return null;
      magnitude += (digit & 31) * weight;
      weight *= 32;
      if (!Number.isSafeInteger(magnitude)) return null;
    }
    values.push(negative && magnitude > 0 ? -magnitude : magnitude);
  }
  return values.length === count ? values : null;
}

type Scalar = string | number | boolean | null;

/**
 * One member of many rows, in JSON: `{ all }` where it is the same in each, else integers as text (see `encodeVlq`), texts as a list of
 * the different ones and the place of each row's in it, or numbers as they are.
 */
export type Column =
  | { readonly all: Scalar }
  | string
  | { readonly of: readonly string[]; readonly at: string }
  | readonly (number | null)[];

/** Thrown where what was read is no column of so many rows. */
export class ColumnError extends Error {}

/** Packs safe integers. */
export function packIntegers(values: readonly (number | null)[]): Column {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? { all: first } : encodeVlq(values);
}

/** Packs safe integers that mostly rise: each is kept as the difference to the one before it that is there. */
export function packSeries(values: readonly (number | null)[]): Column {
  let before = 0;
  return packIntegers(
    values.map((value) => {
      if (value === null) return null;
      const step = value - before;
      before = value;
      return step;
    }),
  );
}

/** Packs texts of which few are different. */
export function packTexts(values: readonly (string | null)[]): Column {
  const [first] = values;
  if (first !== undefined && values.every((value) => value === first)) return { all: first };
  const places = new Map<string, number>();
  const at = values.map((value) => {
    if (value === null) return null;
    const known = places.get(value) ?? places.size;
    places.set(value, known);
    return known;
  });
  return { of: [...places.keys()], at: encodeVlq(at) };
}

/** Largest integer of a series: beyond it the difference of two may not be exact. */
const mostOfSeries = 2 ** 52;

/** Packs numbers of any kind; integers, as most are, take little room. */
export function packNumbers(values: readonly (number | null)[]): Column {
  const isSeries = values.every((value) => value === null || (Number.isInteger(value) && Math.abs(value) < mostOfSeries));
  return isSeries ? packSeries(values) : values;
}

/** Throws a ColumnError when it is none. */
export function unpackIntegers(column: unknown, rows: number): readonly (number | null)[] {
  if (typeof column === "string") return decodeVlq(column, rows) ?? refuse("text that holds other than the integers of its rows");
  const all = allOf(column);
  if (all === null || Number.isSafeInteger(all)) return Array.from({ length: rows }, () => all as number | null);
  return refuse("neither an integer nor a text of integers");
}

export function unpackSeries(column: unknown, rows: number): readonly (number | null)[] {
  let before = 0;
  return unpackIntegers(column, rows).map((step) => {
    if (step === null) return null;
    before += step;
    return Number.isSafeInteger(before) ? before : refuse("a number beyond every integer that is exact");
  });
}

export function unpackTexts(column: unknown, rows: number): readonly (string | null)[] {
  const all = allOf(column);
  if (all === null || typeof all === "string") return Array.from({ length: rows }, () => all);
  if (typeof column !== "object" || column === null || !("of" in column) || !("at" in column)) return refuse("no texts");
  const { of, at } = column;
  if (!Array.isArray(of) || !of.every((text) => typeof text === "string") || typeof at !== "string") return refuse("no texts");
  return (decodeVlq(at, rows) ?? refuse("not one text for each of its rows")).map((place) =>
    place === null ? null : ((of as readonly string[])[place] ?? refuse("the place of a text that is not there")),
  );
}

export function unpackNumbers(column: unknown, rows: number): readonly (number | null)[] {
  if (!Array.isArray(column)) return unpackSeries(column, rows);
  if (column.length !== rows || !column.every((value) => value === null || typeof value === "number")) {
    return refuse("not one number for each of its rows");
  }
  return column as readonly (number | null)[];
}

/** undefined where it is no column of one value. */
function allOf(column: unknown): Scalar | undefined {
  return typeof column === "object" && column !== null && "all" in column ? (column.all as Scalar) : undefined;
}

function refuse(what: string): never {
  throw new ColumnError(`the column holds ${what}`);
}
