import { TransportError } from "../transport-error.ts";

/** Of one line of a chunk size with its extensions, and of all trailer fields. */
const longestLine = 16_384;
/** Of a chunk size: 2^48 bytes. */
const mostDigits = 12;
const [tab, lineFeed, carriageReturn, space, semicolon] = [9, 10, 13, 32, 59];

/** What is expected next. */
type Place = "size" | "extension" | "size-end" | "data" | "data-end" | "data-line-feed" | "trailer" | "trailer-line-feed";

/** Takes bodies out of the chunked coding (RFC 9112 section 7.1), in whatever pieces their bytes come. */
export class ChunkReader {
  readonly #onData: (piece: Buffer) => void;
  #place: Place = "size";
  /** Of the chunk under way: told so far, then left. */
  #size = 0;
  #digits = 0;
  #lineBytes = 0;
  #trailerEmpty = true;

  constructor(onData: (piece: Buffer) => void) {
    this.#onData = onData;
  }

  /** Expects a body. */
  begin(): void {
    this.#place = "size";
    this.#size = 0;
    this.#digits = 0;
    this.#lineBytes = 0;
  }

  /** The place after the end of the body, or -1 when it goes on. Throws a TransportError where the coding is malformed. */
  read(memory: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to) {
      if (this.#place === "data") {
        const end = Math.min(to, at + this.#size);
        this.#onData(memory.subarray(at, end));
        this.#size -= end - at;
        at = end;
        if (this.#size === 0) this.#place = "data-end";
      } else {
        const ends = this.#step(memory[at] ?? 0);
        at += 1;
        if (ends) return at;
      }
    }
    return -1;
  }

  /** One byte of the framing. True at the end of the body. */
  #step(byte: number): boolean {
    this.#lineBytes += 1;
    if (this.#lineBytes > longestLine) throw new TransportError("invalid-http", "a line of the chunked coding is too long");
    switch (this.#place) {
      case "size":
        this.#readSize(byte);
        return false;
      case "extension":
        if (byte === carriageReturn) this.#place = "size-end";
        else if (byte === lineFeed) throw malformed();
        return false;
      case "size-end":
        expect(byte, lineFeed);
        this.#place = this.#size === 0 ? "trailer" : "data";
        this.#trailerEmpty = true;
        return false;
      case "data-end":
        expect(byte, carriageReturn);
        this.#place = "data-line-feed";
        return false;
      case "data-line-feed":
        expect(byte, lineFeed);
        this.begin();
        return false;
      case "trailer":
        if (byte === carriageReturn) this.#place = "trailer-line-feed";
        else if (byte === lineFeed) throw malformed();
        else this.#trailerEmpty = false;
        return false;
      case "trailer-line-feed": {
        expect(byte, lineFeed);
        const ends = this.#trailerEmpty;
        this.#place = "trailer";
        this.#trailerEmpty = true;
        return ends;
      }
      default:
        return false;
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0 && this.#digits < mostDigits) {
      this.#digits += 1;
      this.#size = this.#size * 16 + digit;
    } else if (digit >= 0 || this.#digits === 0) throw malformed();
    else if (byte === carriageReturn) this.#place = "size-end";
    else if (byte === semicolon || byte === space || byte === tab) this.#place = "extension";
    else throw malformed();
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function expect(byte: number, expected: number): void {
  if (byte !== expected) throw malformed();
}

function malformed(): TransportError {
  return new TransportError("invalid-http", "the chunked coding of the response is malformed");
}
