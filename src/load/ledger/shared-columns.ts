import type { PackedTexts } from "./packed-record.ts";

/** Rows of a column that is shared: as many as a line may hold. */
const mostRows = 4096;
/** Different values that are kept for columns of one value, such as a status. */
const mostColumns = 100;

/** Columns of numbers, of which many hold one value only: these are kept once. */
export class SharedColumns {
  private readonly known = new Map<number, Float64Array>();
  private readonly lists = new Map<string, readonly string[]>();

  /** The values, or more where all are the same; null becomes NaN. Never to be written to. */
  pack(values: readonly (number | null)[]): Float64Array {
    const [first = null] = values;
    if (values.length <= mostRows && values.every((value) => value === first)) return this.all(first ?? Number.NaN);
    return Float64Array.from(values, (value) => value ?? Number.NaN);
  }

  /** The same for texts. */
  packTexts(texts: readonly (string | null)[]): PackedTexts {
    const of = [...new Set(texts)].filter((text) => text !== null);
    const places = new Map(of.map((text, place) => [text, place]));
    const at = texts.map((text) => (text === null ? null : (places.get(text) ?? null)));
    return { of: this.list(of), at: this.pack(at) };
  }

  /** Lists of few texts, such as the one outcome of all. */
  private list(texts: readonly string[]): readonly string[] {
    const key = JSON.stringify(texts);
    const known = this.lists.get(key);
    if (known !== undefined) return known;
    if (this.lists.size < mostColumns) this.lists.set(key, texts);
    return texts;
  }

  private all(value: number): Float64Array {
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const column = new Float64Array(mostRows).fill(value);
    if (this.known.size < mostColumns) this.known.set(value, column);
    return column;
  }
}
