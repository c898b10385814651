import { createParser, type EventSourceParser } from "eventsource-parser";
import type { RecordedEvent } from "../../core/exchange/exchange.ts";
import { EventLog } from "./event-log.ts";
import type { ReadStamp } from "./read-stamp.ts";
import { Utf8Decoder } from "./utf8-decoder.ts";

export interface StreamBounds {
  readonly events: number;
  /** Characters of one event, with its comments and what is ignored. */
  readonly eventLength: number;
  /** Whether so many more bytes of memory may be held. */
  readonly take: (bytes: number) => boolean;
  /** Bytes of memory that an event of so many characters takes once its stream is over and recorded. */
  readonly recordBytes: (characters: number) => number;
}

/**
 * Server-sent events as a conforming client dispatches them (WHATWG HTML, section 9.2.6), each with the stamps of the read
 * that completed it. The parser is eventsource-parser; around it: byte order mark, line ends at the edge of a read, and
 * what is left at the end.
 */
export class EventStream {
  comments = 0;
  /** A line named the field `error`. */
  errorField = false;
  /** Which bound the stream exceeded: nothing of it is read from then on. */
  exceeded: string | null = null;
  /** The first characters, as long as no event was dispatched: they say what else it may be. */
  #beginning = "";
  readonly #decoder = new Utf8Decoder();
  readonly #parser: EventSourceParser;
  readonly #log: EventLog;
  readonly #bounds: StreamBounds;
  /** Characters since the last event: the parser holds them. */
  #pendingLength = 0;
  #stamp: ReadStamp = { read: 0, atMs: 0, earliestMs: 0, latestMs: 0 };
  /** Read that completed the latest event. */
  #lastRead = -1;
  #started = false;
  #skipLineFeed = false;
  #lineOpen = false;
  /** Receives the leftover while the end is probed. */
  #probe: { pending: boolean } | null = null;

  constructor(bounds: StreamBounds) {
    this.#log = new EventLog(bounds.take);
    this.#bounds = bounds;
    this.#parser = createParser({
      onEvent: (event) => {
        if (this.#probe) {
          this.#probe.pending ||= event.data !== probeData || event.event !== undefined || event.id !== undefined;
          return;
        }
        this.#record(event.event, event.data, event.id);
      },
      onComment: () => {
        if (!this.#probe) this.comments += 1;
      },
      onError: ({ type, field }) => {
        // Unknown fields are ignored by the standard; at the end of the stream they show a cut line.
        if (this.#probe) this.#probe.pending = true;
        else if (type === "unknown-field" && field === "error") this.errorField = true;
      },
    });
    // The parser looks for the mark as three Latin-1 characters in the first feed; decoded text has it as U+FEFF.
    this.#parser.feed("");
  }

  get validUtf8(): boolean {
    return this.#decoder.valid;
  }

  /** Events so far. */
  get count(): number {
    return this.#log.count;
  }

  /** The first characters of a stream without an event; of any other the events are there. */
  get beginning(): string {
    return this.count === 0 ? this.#beginning : "";
  }

  /** The events as they are recorded. */
  list(mask: (text: string) => string): RecordedEvent[] {
    return this.#log.list(mask);
  }

  /** Feeds the bytes of one read, or a part of them. */
  write(chunk: Buffer, stamp: ReadStamp): void {
    this.#stamp = stamp;
    this.#feed(this.#decoder.write(chunk));
  }

  /** Ends the stream; true when a block was pending, which a client discards. */
  end(): boolean {
    if (this.exceeded !== null) return true;
    this.#feed(this.#decoder.end());
    this.#probe = { pending: false };
    // Close an open line without making it blank, then complete the block with a known line: whatever it then holds
    // besides that line was pending.
    this.#parser.feed(`${this.#lineOpen ? "\n" : ""}data:${probeData}\n\n`);
    return this.#probe.pending;
  }

  #feed(decoded: string): void {
    let text = decoded;
    if (text === "") return;
    if (this.#log.count === 0 && this.#beginning.length < beginningLength)
      this.#beginning += text.slice(0, beginningLength - this.#beginning.length);
    if (!this.#started) {
      this.#started = true;
      if (text.codePointAt(0) === 0xfeff) text = text.slice(1);
    }
    if (this.#skipLineFeed) {
      this.#skipLineFeed = false;
      if (text.startsWith("\n")) text = text.slice(1);
    }
    if (text === "") return;
    const last = text.codePointAt(text.length - 1);
    if (last === 13) {
      // A carriage return ends a line by itself. The parser would wait for the next read to see whether a line feed
      // follows and stamp the event too late: give it the line feed now and drop the one that may come.
      text += "\n";
      this.#skipLineFeed = true;
    }
    this.#lineOpen = last !== 10 && last !== 13;
    this.#feedPieces(text);
  }

  /** One read may hold thousands of events: bounds are looked at between pieces of it, before the next is parsed. */
  #feedPieces(text: string): void {
    const { eventLength } = this.#bounds;
    for (let from = 0; from < text.length && this.exceeded === null; from += pieceLength) {
      const piece = text.length <= pieceLength ? text : text.slice(from, from + pieceLength);
      this.#pendingLength += piece.length;
      this.#parser.feed(piece);
      if (this.#pendingLength > eventLength) this.exceeded ??= `an event of more than ${eventLength} characters`;
    }
  }

  #record(event: string | undefined, data: string, id: string | undefined): void {
    this.#pendingLength = 0;
    if (this.exceeded !== null) return;
    if (this.#log.count >= this.#bounds.events) {
      this.exceeded = `more than ${this.#bounds.events} events`;
      return;
    }
    const { read, atMs } = this.#stamp;
    // A read takes what arrived until it happened: only its first bytes are known to have been there at the poll.
    const stamp = read === this.#lastRead ? { ...this.#stamp, latestMs: atMs } : this.#stamp;
    const length = data.length + (event?.length ?? 0) + (id?.length ?? 0);
    if (!this.#bounds.take(this.#bounds.recordBytes(length)) || !this.#log.add(stamp, data, event, id)) {
      this.exceeded = "more than the run has room for";
      return;
    }
    this.#lastRead = read;
  }
}

/** Far more than is shown of them, so that no secret is cut where it would not be known. */
const beginningLength = 2000;

/** A carriage return at the edge of a piece waits for the next one within the parser: all pieces come from one read. */
const pieceLength = 65_536;

const probeData = "assay-end-of-stream";
