import { TransportError } from "../http/transport-error.ts";

/** Bytes of a line with a chunk size and its extensions, at most. */
const longestLine = 16_384;
/** Bytes of all trailer fields together, at most. */
const longestTrailers = 65_536;
/** Bytes of a chunk, at most: with one more digit the size is still a number that a double holds exactly. */
const largestChunk = 2 ** 48;
const [tab, lineFeed, carriageReturn, space, colon, semicolon, rubout] = [9, 10, 13, 32, 58, 59, 127];

/** The part that is expected next. */
type Place =
  | "size"
  | "blank"
  | "extension"
  | "size-end"
  | "data"
  | "data-end"
  | "data-line-feed"
  | "trailer"
  | "trailer-name"
  | "trailer-value"
  | "trailer-line-feed"
  | "last-line-feed";

/** Takes bodies out of the chunked coding (RFC 9112 section 7.1), in whatever pieces their bytes come. */
export class ChunkReader {
  readonly #onData: (piece: Buffer) => void;
  #place: Place = "size";
  /** Size of the chunk under way: first what its digits say so far, then the bytes that are left of it. */
  #size = 0;
  #sized = false;
  #lineBytes = 0;
  #lineLimit = longestLine;

  constructor(onData: (piece: Buffer) => void) {
    this.#onData = onData;
  }

  /** Expects a body. */
  begin(): void {
    this.#place = "size";
    this.#size = 0;
    this.#sized = false;
    this.#lineBytes = 0;
    this.#lineLimit = longestLine;
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
    if (this.#lineBytes > this.#lineLimit) throw malformed("a line of it is too long");
    switch (this.#place) {
      case "size":
        this.#readSize(byte);
        break;
      case "blank":
        if (byte === semicolon) this.#place = "extension";
        else if (byte !== space && byte !== tab) throw malformed("a chunk size is missing");
        break;
      case "extension":
        // Extensions are ignored (section 7.1.1).
        if (byte === carriageReturn) this.#place = "size-end";
        else if (!isText(byte)) throw malformed("characters in a chunk extension that HTTP does not allow");
        break;
      case "size-end":
        if (byte !== lineFeed) throw malformed("no CRLF after the size of a chunk");
        this.#endSize();
        break;
      case "data-end":
        if (byte !== carriageReturn) throw malformed("no CRLF after a chunk");
        this.#place = "data-line-feed";
        break;
      case "data-line-feed":
        if (byte !== lineFeed) throw malformed("no CRLF after a chunk");
        this.begin();
        break;
      case "last-line-feed":
        if (byte !== lineFeed) throw malformed("no CRLF at its end");
        return true;
      case "trailer":
      case "trailer-name":
      case "trailer-value":
      case "trailer-line-feed":
        this.#readTrailer(byte);
        break;
      case "data":
        break;
    }
    return false;
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#sized = true;
      this.#size = this.#size * 16 + digit;
      if (this.#size > largestChunk) throw malformed("a chunk larger than any could be");
    } else if (!this.#sized) throw malformed("a chunk size is missing");
    else if (byte === carriageReturn) this.#place = "size-end";
    else if (byte === semicolon) this.#place = "extension";
    // Blanks are lawful before a semicolon only. Many refuse even that, and none takes them before the end of the line.
    else if (byte === space || byte === tab) this.#place = "blank";
    else throw malformed("a chunk size is missing");
  }

  #endSize(): void {
    if (this.#size > 0) {
      this.#place = "data";
      return;
    }
    this.#place = "trailer";
    this.#lineBytes = 0;
    this.#lineLimit = longestTrailers;
  }

  /** Skips trailer fields; each has to be one. */
  #readTrailer(byte: number): void {
    if (this.#place === "trailer-line-feed") {
      if (byte !== lineFeed) throw malformed("a trailer field that does not end in CRLF");
      this.#place = "trailer";
    } else if (this.#place === "trailer-value") {
      if (byte === carriageReturn) this.#place = "trailer-line-feed";
      else if (!isText(byte)) throw malformed("characters in a trailer field that HTTP does not allow");
    } else if (isNameCharacter(byte)) this.#place = "trailer-name";
    else if (this.#place === "trailer-name" && byte === colon) this.#place = "trailer-value";
    else if (this.#place === "trailer" && byte === carriageReturn) this.#place = "last-line-feed";
    else throw malformed("a line after the last chunk that is no trailer field");
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** Whether the byte may stand in a token (RFC 9110 section 5.6.2). */
function isNameCharacter(byte: number): boolean {
  return byte > space && byte < rubout && !'"(),/:;<=>?@[\\]{}'.includes(String.fromCodePoint(byte));
}

function isText(byte: number): boolean {
  return (byte >= space && byte !== rubout) || byte === tab;
}

function malformed(how: string): TransportError {
  return new TransportError("invalid-http", `the chunked coding of the response is malformed: ${how}`);
}
