import { decodeVlq, encodeVlq } from "./vlq.ts";

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
