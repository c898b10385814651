/** A string above this is shortened where it is base64: no vector is as long, and a picture is. */
const longestBytes = 262_144;
/** As much stays of it: the head of a picture is shorter. */
const shownBytes = 65_536;

const [quote, backslash] = [34, 92];
const beginning = /^data:(?:[\w.+;=-]|\\?\/){1,100};base64,/;
const blob = /^(?:[\w+/=-]|\\[/nr])*$/;
const isOfBlob = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte < 0x80 && /[\w+/=-]/.test(String.fromCodePoint(byte))),
);

export interface BlobShortenerOptions {
  /** Of the copy. */
  readonly mostBytes: number;
  readonly mask: (text: string) => string;
  /** `mask` sees so much behind the part of a string that stays: a secret may lie across its end. */
  readonly marginBytes: number;
}

/**
 * Copies JSON text that passes by, in bounded memory: of long strings in base64 (a picture within an answer) only the beginning. Other
 * text stays as it is.
 */
export class BlobShortener {
  readonly #out: Buffer;
  readonly #options: BlobShortenerOptions;
  #length = 0;
  /** Place in the copy at which the content of the current string begins; null outside of strings. */
  #start: number | null = null;
  /** The last byte was a backslash in a string. */
  #escaped = false;
  /** The rest of the current string is left out. */
  #drops = false;
  /** The current string was found not to be base64. */
  #isPlain = false;
  #count = 0;
  #failed = false;

  constructor(options: BlobShortenerOptions) {
    this.#out = Buffer.allocUnsafe(options.mostBytes);
    this.#options = options;
  }

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#failed;) {
      if (this.#drops) at = this.#drop(chunk, at);
      else if (this.#start === null) at = this.#copyOutside(chunk, at);
      else at = this.#copyString(chunk, at);
    }
  }

  /** The copy; null where it would be too long, and where nothing was left out. */
  end(): Buffer | null {
    return this.#failed || this.#count === 0 ? null : this.#out.subarray(0, this.#length);
  }

  #copyOutside(chunk: Buffer, at: number): number {
    const opening = chunk.indexOf(quote, at);
    const end = opening === -1 ? chunk.length : opening + 1;
    this.#copy(chunk, at, end);
    if (opening !== -1) this.#start = this.#length;
    return end;
  }

  #copyString(chunk: Buffer, at: number): number {
    if (this.#escaped || chunk[at] === backslash) {
      this.#escaped = !this.#escaped;
      this.#copy(chunk, at, at + 1);
      return at + 1;
    }
    if (chunk[at] === quote) {
      this.#start = null;
      this.#isPlain = false;
      this.#copy(chunk, at, at + 1);
      return at + 1;
    }
    let end = at;
    while (end < chunk.length && chunk[end] !== quote && chunk[end] !== backslash) end += 1;
    this.#copy(chunk, at, end);
    if (!this.#isPlain && this.#length - (this.#start ?? 0) > longestBytes) this.#shorten();
    return end;
  }

  #shorten(): void {
    const { mask, marginBytes } = this.#options;
    const start = this.#start ?? 0;
    const string = this.#out.toString("latin1", start, this.#length);
    if (!blob.test(string.replace(beginning, ""))) {
      this.#isPlain = true;
      return;
    }
    const shown = endInGroup(mask(string.slice(0, shownBytes + marginBytes)).slice(0, shownBytes));
    this.#length = start + this.#out.write(shown, start);
    this.#count += 1;
    this.#drops = true;
  }

  #drop(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#escaped) {
        // The solidus and ends of lines, which some encoders write within base64.
        this.#escaped = false;
        this.#failed ||= !"/nr".includes(String.fromCodePoint(byte));
      } else if (byte === backslash) this.#escaped = true;
      else if (byte === quote) {
        this.#drops = false;
        return at;
      } else this.#failed ||= isOfBlob[byte] === 0;
    }
    return chunk.length;
  }

  #copy(chunk: Buffer, from: number, to: number): void {
    if (this.#length + to - from > this.#out.length) this.#failed = true;
    else this.#length += chunk.copy(this.#out, this.#length, from, to);
  }
}

/** Base64 without its last characters, so that whole groups of four stay. */
function endInGroup(text: string): string {
  const [before = ""] = beginning.exec(text) ?? [];
  let kept = text.slice(before.length);
  while (kept.endsWith("\\") || kept.replaceAll(/\\[nr]/g, "").replaceAll("\\/", "/").length % 4 !== 0) kept = kept.slice(0, -1);
  return before + kept;
}
