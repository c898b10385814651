import { TransportError } from "../http/transport-error.ts";
import { ChunkReader } from "./chunk-reader.ts";
import {
  type HeadReader,
  type ResponseHead,
  beginsFieldLine,
  readFieldLine,
  checkStatusLineStart,
  readStatusLine,
} from "./head-reader.ts";

/** Gets what a response consists of while its bytes are read. */
export interface ResponseParts {
  onHead(head: ResponseHead): void;
  /** `lasting`: the memory keeps its content until the response is complete; otherwise only until the call returns. */
  onData(piece: Buffer, lasting: boolean): void;
}

const longestHead = 65_536;
const [carriageReturn, lineFeed] = [13, 10];

/** Reads the responses of one connection one after the other (RFC 9112), in whatever pieces their bytes come. */
export class ResponseReader {
  /** Of the response under way; null before it was read. */
  head: ResponseHead | null = null;
  readonly #readHead: HeadReader;
  readonly #parts: ResponseParts;
  readonly #chunks: ChunkReader;
  #method = "GET";
  /** Of a head that came in several pieces. */
  #pending = "";
  #bytesLeft = 0;

  constructor(readHead: HeadReader, parts: ResponseParts) {
    this.#readHead = readHead;
    this.#parts = parts;
    this.#chunks = new ChunkReader((piece) => parts.onData(piece, false));
  }

  /** Expects the response to a request of this method. */
  begin(method: string): void {
    this.head = null;
    this.#method = method;
    this.#pending = "";
  }

  /**
   * Reads from `from` to `to`. The place after the end of the response, or -1 when it goes on. Throws a TransportError where
   * the bytes are not HTTP/1.
   */
  read(memory: Buffer, from: number, to: number): number {
    let at = from;
    while (this.head === null) {
      at = this.#readHeadFrom(memory, at, to);
      if (at === -1) return -1;
    }
    return this.#readBody(this.head, memory, at, to);
  }

  /** Whether the close of the connection is the end of the response, as it is where no length was reported. */
  endsWithConnection(): boolean {
    return this.head?.body === "until-close";
  }

  /** The place after a head, interim or final, or -1 when it is not complete. */
  #readHeadFrom(memory: Buffer, start: number, to: number): number {
    let from = start;
    const seen = this.#pending.length;
    // Empty lines before a head are no part of it; some servers end a body with one too many.
    if (seen === 0) while (from < to && (memory[from] === carriageReturn || memory[from] === lineFeed)) from += 1;
    if (from >= to) return -1;
    // Fields are parts of the text they were read from and keep all of it: it should hold no more than the head.
    let text: string;
    let after = seen === 0 ? findBlankLine(memory, from, to) : -1;
    if (after !== -1) {
      text = memory.toString("latin1", from, after - 2);
    } else {
      text = this.#pending + memory.toString("latin1", from, to);
      const end = seen === 0 ? -1 : text.indexOf("\r\n\r\n", Math.max(0, seen - 3));
      if (end === -1) {
        if (text.length > longestHead) throw tooLong();
        checkPartialHead(text, seen);
        this.#pending = text;
        return -1;
      }
      text = Buffer.from(text.slice(0, end + 2), "latin1").toString("latin1");
      after = from + end + 4 - seen;
    }
    if (text.length > longestHead + 2) throw tooLong();
    this.#pending = "";
    const head = this.#readHead(text, this.#method);
    if (head.status === 101) {
      throw new TransportError("invalid-http", "the response switches protocols although the request did not ask for it");
    }
    // Interim responses (RFC 9110 section 15.2) are not the answer.
    if (head.status >= 200) {
      this.head = head;
      if (typeof head.body === "number") this.#bytesLeft = head.body;
      else if (head.body === "chunked") this.#chunks.begin();
      this.#parts.onHead(head);
    }
    return after;
  }

  #readBody(head: ResponseHead, memory: Buffer, from: number, to: number): number {
    if (head.body === "chunked") return this.#chunks.read(memory, from, to);
    if (head.body === "until-close") {
      if (to > from) this.#parts.onData(memory.subarray(from, to), false);
      return -1;
    }
    const end = Math.min(to, from + this.#bytesLeft);
    this.#bytesLeft -= end - from;

    if (end > from) this.#parts.onData(memory.subarray(from, end), false);
    return this.#bytesLeft === 0 ? end : -1;
  }
}

/** The place after the first CRLF CRLF, or -1. */
function findBlankLine(memory: Buffer, from: number, to: number): number {
  for (let at = from + 3; at < to;) {
    const byte = memory[at];
    if (byte === lineFeed) {
      if (memory[at - 1] === carriageReturn && memory[at - 2] === lineFeed && memory[at - 3] === carriageReturn) return at + 1;
      at += 1;
    } else {
      // A byte that is neither CR nor LF is no part of it: no blank line ends at this byte or at the next three.
      at += byte === carriageReturn ? 1 : 4;
    }
  }
  return -1;
}

function tooLong(): TransportError {
  return new TransportError("invalid-http", "the response head is larger than 64 KiB");
}

/** More of a line is read once it is complete: reading all of it with each of its bytes would take the square of its length. */
const openLineRead = 256;

/**
 * Reports what can never become a response head before its end has come, which it may never do: throws a TransportError. `seen`
 * of the text was checked before.
 */
function checkPartialHead(text: string, seen: number): void {
  let start = text.lastIndexOf("\n", seen - 1) + 1;
  if (seen === 0) start = 0;
  for (let end = text.indexOf("\n", start); end !== -1; end = text.indexOf("\n", start)) {
    // Bytes that are no HTTP at all are reported as that, however their lines end.
    if (start === 0 && !text.startsWith("HTTP/")) readStatusLine(text);
    if (text[end - 1] !== "\r") throw new TransportError("invalid-http", "a line of the response head does not end in CRLF");
    checkLine(text.slice(start, end - 1), start === 0);
    start = end + 1;
  }
  const open = text.slice(start, start + openLineRead);
  if (open === "\r") return;
  if (open.endsWith("\r")) checkLine(open.slice(0, -1), start === 0);
  else if (start === 0) checkStatusLineStart(open);
  else if (!beginsFieldLine(open)) readFieldLine(open);
}

function checkLine(line: string, first: boolean): void {
  if (first) readStatusLine(line);
  else readFieldLine(line);
}
