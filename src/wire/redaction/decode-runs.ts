/** A text as it reads once something was decoded, and where each of its characters stands in the original. */
export interface DecodedView {
  readonly text: string;
  /** The original span of a character; null: this is the original. */
  readonly spans: { readonly from: Int32Array; readonly to: Int32Array } | null;
}

export function originalSpan({ spans }: DecodedView, from: number, to: number): readonly [from: number, to: number] {
  return spans === null ? [from, to] : [spans.from[from] ?? 0, spans.to[to - 1] ?? 0];
}

/** Collects the characters of a view that is decoded from another one. */
export class ViewBuilder {
  readonly #of: DecodedView;
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #pieces: string[] = [];

  constructor(of: DecodedView) {
    this.#of = of;
  }

  /** Adds characters each of which stands for the whole span of the other view. */
  put(text: string, from: number, to: number): void {
    const [start, end] = originalSpan(this.#of, from, to);
    for (let at = 0; at < text.length; at += 1) {
      this.#from.push(start);
      this.#to.push(end);
    }
    this.#pieces.push(text);
  }

  /** Characters as they are. */
  copy(from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const [start, end] = originalSpan(this.#of, at, at + 1);
      this.#from.push(start);
      this.#to.push(end);
    }
    this.#pieces.push(this.#of.text.slice(from, to));
  }

  view(): DecodedView {
    return { text: this.#pieces.join(""), spans: { from: Int32Array.from(this.#from), to: Int32Array.from(this.#to) } };
  }
}

/** Characters of a run that stand for so many bits each. */
interface Coding {
  readonly pattern: RegExp;
  readonly values: Int8Array;
  readonly bits: number;
  /** The places at which a byte may begin: the text before the code may look like it. */
  readonly starts: number;
}

const base64Values = valuesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
base64Values["-".charCodeAt(0)] = 62;
base64Values["_".charCodeAt(0)] = 63;
const base32Values = valuesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
for (let at = 0; at < 26; at += 1) base32Values[97 + at] = at;
const hexValues = valuesOf("0123456789ABCDEF");
for (let at = 0; at < 6; at += 1) hexValues[97 + at] = 10 + at;

/** Eight characters of a key take at least as many characters of each. MIME breaks lines of Base64. */
const base64: Coding = { pattern: /[A-Za-z0-9+/_-]{11,}(?:\r?\n[A-Za-z0-9+/_-]+)*/g, values: base64Values, bits: 6, starts: 4 };
const base32Shortest = 13;
const base32: Coding = { pattern: /[A-Z2-7]{13,}|[a-z2-7]{13,}/g, values: base32Values, bits: 5, starts: 8 };
const hexadecimal: Coding = {
  pattern: /[0-9a-fA-F]{16,}|[0-9a-fA-F]{2}(?:[ :,-][0-9a-fA-F]{2}){7,}/g,
  values: hexValues,
  bits: 4,
  starts: 2,
};
const codings: readonly Coding[] = [base64, base32, hexadecimal];
/** `115, 107, 95`: the codes of characters in decimal. */
const numbersPattern = /\d{2,3}(?:[ ,;] ?\d{2,3}){7,}/g;

/** Whether `isSought` says yes to anything that a run of characters encodes, where it is long enough to hold a part of a key. */
export function someDecoded(text: string, isSought: (decoded: string) => boolean): boolean {
  for (const [run] of text.matchAll(base64.pattern)) {
    for (let skip = 0; skip < base64.starts; skip += 1) {
      const decoded = mayShowText(run, skip) ? decodeRun(run, base64, skip, null) : null;
      if (decoded !== null && isSought(decoded)) return true;
    }
    // The letters of Base32 are among those of Base64, so that its runs are found there.
    if (run.length >= base32Shortest && someOf(run, base32, isSought)) return true;
  }
  if (someOf(text, hexadecimal, isSought)) return true;
  for (const [run] of text.matchAll(numbersPattern)) if (isSought(decodeNumbers(run))) return true;
  return false;
}

function someOf(text: string, coding: Coding, isSought: (decoded: string) => boolean): boolean {
  for (const [run] of text.matchAll(coding.pattern)) {
    for (let skip = 0; skip < coding.starts; skip += 1) {
      const decoded = decodeRun(run, coding, skip, null);
      if (decoded !== null && isSought(decoded)) return true;
    }
  }
  return false;
}

/**
 * Whether a run of Base64, read from there, may show eight ASCII characters in a row: they hold two groups of four digits that stand for
 * three of them each. Words, numbers and images rarely do, and most of what is answered is those.
 */
function mayShowText(run: string, skip: number): boolean {
  // Groups go on across a broken line.
  if (run.includes("\n")) return true;
  let groups = 0;
  for (let at = skip; at + 3 < run.length; at += 4) {
    const isAscii =
      (valueAt(run, at) & 0b100000) === 0 && (valueAt(run, at + 1) & 0b001000) === 0 && (valueAt(run, at + 2) & 0b000010) === 0;
    groups = isAscii ? groups + 1 : 0;
    if (groups === 2) return true;
  }
  return false;
}

function valueAt(run: string, at: number): number {
  return base64.values[run.charCodeAt(at)] ?? -1;
}

/** As `someDecoded`, with the places of the characters. */
export function* decodeViews(view: DecodedView): Iterable<DecodedView> {
  for (const coding of codings) {
    for (const match of view.text.matchAll(coding.pattern)) {
      for (let skip = 0; skip < coding.starts; skip += 1) {
        const places: { readonly from: number; readonly to: number }[] = [];
        const text = decodeRun(match[0], coding, skip, places);
        if (text !== null) yield viewOf(view, text, match.index, places);
      }
    }
  }
  for (const match of view.text.matchAll(numbersPattern)) {
    const places = [...match[0].matchAll(/\d+/g)].map((one) => ({ from: one.index, to: one.index + one[0].length }));
    yield viewOf(view, decodeNumbers(match[0]), match.index, places);
  }
}

function viewOf(
  view: DecodedView,
  text: string,
  start: number,
  places: readonly { readonly from: number; readonly to: number }[],
): DecodedView {
  const spans = places.map(({ from, to }) => originalSpan(view, start + from, start + to));
  return { text, spans: { from: Int32Array.from(spans, ([from]) => from), to: Int32Array.from(spans, ([, to]) => to) } };
}

function valuesOf(alphabet: string): Int8Array {
  const values = new Int8Array(128).fill(-1);
  for (let at = 0; at < alphabet.length; at += 1) values[alphabet.charCodeAt(at)] = at;
  return values;
}

/** Characters in a row that a part of a key takes. */
const shortestRow = 8;
/** The bytes of one run; grown where a longer one comes. */
let bytes = Buffer.alloc(4096);

/** The bytes as Latin-1; null where no eight of them in a row can be seen, as in nearly all that is no text. */
function decodeRun(
  run: string,
  { values, bits }: Coding,
  skip: number,
  places: { readonly from: number; readonly to: number }[] | null,
): string | null {
  if (bytes.length < run.length) bytes = Buffer.alloc(2 * run.length);
  let [held, value, count, first, row, longestRow] = [0, 0, 0, skip, 0, 0];
  for (let at = skip; at < run.length; at += 1) {
    const digit = values[run.charCodeAt(at)] ?? -1;
    if (digit < 0) continue;
    if (held === 0) first = at;
    value = ((value << bits) | digit) & 0xffff;
    held += bits;
    if (held < 8) continue;
    held -= 8;
    const byte = (value >> held) & 0xff;
    bytes[count] = byte;
    count += 1;
    places?.push({ from: first, to: at + 1 });
    first = at;
    // UTF-16 has a zero at every other place.
    if ((byte >= 32 && byte < 127) || byte === 10 || byte === 13) row += 1;
    else if (byte !== 0) row = 0;
    if (row > longestRow) longestRow = row;
  }
  return longestRow < shortestRow ? null : bytes.toString("latin1", 0, count);
}

function decodeNumbers(run: string): string {
  return (run.match(/\d+/g) ?? []).map((number) => String.fromCharCode(Number(number))).join("");
}
