import { createParser, type EventSourceParser } from "eventsource-parser";
import type { RecordedEvent } from "../../core/exchange/exchange.ts";
import { Utf8Decoder } from "./utf8-decoder.ts";

/** Stamps of the network read that is being fed. */
export interface ReadStamp {
  /** Ordinal of the read within the response, from 0. */
  readonly read: number;
  readonly atMs: number;
  readonly earliestMs: number;
  readonly latestMs: number;
}

/**
 * Server-sent events as a conforming client dispatches them (WHATWG HTML, section 9.2.6), each with the stamps of the read
 * that completed it. The parser is eventsource-parser; around it: byte order mark, line ends at the edge of a read, and
 * what is left at the end.
 */
export class EventStream {
  readonly events: RecordedEvent[] = [];
  comments = 0;
  readonly #decoder = new Utf8Decoder();
  readonly #parser: EventSourceParser;
  readonly #mask: (text: string) => string;
  #stamp: ReadStamp = { read: 0, atMs: 0, earliestMs: 0, latestMs: 0 };
  /** Read that completed the latest event. */
  #lastRead = -1;
  #started = false;
  #skipLineFeed = false;
  #lineOpen = false;
  /** Receives the leftover while the end is probed. */
  #probe: { pending: boolean } | null = null;

  constructor(mask: (text: string) => string) {
    this.#mask = mask;
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
      onError: () => {
        // Unknown fields are ignored by the standard; at the end of the stream they show a cut line.
        if (this.#probe) this.#probe.pending = true;
      },
    });
    // The parser looks for the mark as three Latin-1 characters in the first feed; decoded text has it as U+FEFF.
    this.#parser.feed("");
  }

  get validUtf8(): boolean {
    return this.#decoder.valid;
  }

  /** Feeds the bytes of one read, or a part of them. */
  write(chunk: Buffer, stamp: ReadStamp): void {
    this.#stamp = stamp;
    this.#feed(this.#decoder.write(chunk));
  }

  /** Ends the stream; true when a block was pending, which a client discards. */
  end(): boolean {
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
    this.#parser.feed(text);
  }

  #record(event: string | undefined, data: string, id: string | undefined): void {
    const { atMs, earliestMs, read } = this.#stamp;
    // A read takes what arrived until it happened: only its first bytes are known to have been there at the poll.
    const latestMs = read === this.#lastRead ? atMs : this.#stamp.latestMs;
    this.#lastRead = read;
    const recorded = {
      atMs,
      earliestMs,
      latestMs,
      read,
      event: event === undefined ? "message" : this.#mask(event),
      data: this.#mask(data),
    };
    this.events.push(id === undefined ? recorded : { ...recorded, id: this.#mask(id) });
  }
}

const probeData = "assay-end-of-stream";
