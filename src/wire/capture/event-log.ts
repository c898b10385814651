import type { RecordedEvent } from "../../core/exchange/exchange.ts";
import type { ReadStamp } from "./read-stamp.ts";

/** Flags of an event that is not like most. */
const [wideText, named, numbered] = [1, 2, 4];
const firstBlockBytes = 512;
const largestBlockBytes = 8192;
/** Memory that a block takes beside its bytes. */
const blockOverhead = 128;
/** Numbers of an event, each in nine bytes at most. */
const mostNumberBytes = 100;

/**
 * The events of one stream in few bytes: a record of each, as all of them are judged, takes a hundred times as much while the stream is
 * under way. Instants are kept in microseconds as differences, and of a text only what differs from the text before: chunks of
 * one answer are alike but for some characters, so that an event of a chat takes about 20 bytes.
 */
export class EventLog {
  count = 0;
  readonly #take: (bytes: number) => boolean;
  readonly #blocks: Buffer[] = [];
  /** Bytes of each block that are in use, the last one excepted. */
  readonly #used: number[] = [];
  #block: Buffer = empty;
  #at = 0;
  #text = "";
  #atUs = 0;
  #read = 0;

  /** `take`: whether so many more bytes of memory may be held. */
  constructor(take: (bytes: number) => boolean) {
    this.#take = take;
  }

  /** False, and nothing kept, where there is no room. */
  add(stamp: ReadStamp, text: string, name: string | undefined, id: string | undefined): boolean {
    const before = this.#text;
    const start = commonStart(before, text);
    const end = commonEnd(before, text, start);
    const middle = text.slice(start, text.length - end);
    const wide = isWide(middle);
    const bytes = mostNumberBytes + (wide ? 2 : 1) * middle.length + 2 * ((name?.length ?? 0) + (id?.length ?? 0));
    if (this.#block.length - this.#at < bytes && !this.#grow(bytes)) return false;
    const atUs = Math.round(1000 * stamp.atMs);
    this.#block[this.#at++] = (wide ? wideText : 0) | (name === undefined ? 0 : named) | (id === undefined ? 0 : numbered);
    this.#putSigned(atUs - this.#atUs);
    this.#putSigned(atUs - Math.round(1000 * stamp.earliestMs));
    this.#putSigned(atUs - Math.round(1000 * stamp.latestMs));
    this.#putSigned(stamp.read - this.#read);
    this.#put(start);
    this.#put(end);
    this.#put(middle.length);
    this.#putText(middle, wide);
    if (name !== undefined) this.#putWhole(name);
    if (id !== undefined) this.#putWhole(id);
    this.#text = text;
    this.#atUs = atUs;
    this.#read = stamp.read;
    this.count += 1;
    return true;
  }

  /** The events as they are recorded. */
  list(mask: (text: string) => string): RecordedEvent[] {
    const events: RecordedEvent[] = [];
    let [text, atUs, read] = ["", 0, 0];
    for (const [place, block] of this.#blocks.entries()) {
      const reader = new BlockReader(block, this.#used[place] ?? this.#at);
      while (reader.hasMore) {
        const kind = reader.byte();
        atUs += reader.signed();
        const earliestUs = atUs - reader.signed();
        const latestUs = atUs - reader.signed();
        read += reader.signed();
        const start = reader.number();
        const end = reader.number();
        text = text.slice(0, start) + reader.text((kind & wideText) !== 0) + (end === 0 ? "" : text.slice(-end));
        const event = (kind & named) === 0 ? "message" : mask(reader.text(true));
        const id = (kind & numbered) === 0 ? undefined : mask(reader.text(true));
        const recorded = {
          atMs: atUs / 1000,
          earliestMs: earliestUs / 1000,
          latestMs: latestUs / 1000,
          read,
          event,
          data: mask(text),
        };
        events.push(id === undefined ? recorded : { ...recorded, id });
      }
    }
    return events;
  }

  #grow(bytes: number): boolean {
    const size = Math.max(bytes, Math.min(largestBlockBytes, 2 * this.#block.length || firstBlockBytes));
    if (!this.#take(size + blockOverhead)) return false;
    if (this.#blocks.length > 0) this.#used.push(this.#at);
    this.#block = Buffer.allocUnsafeSlow(size);
    this.#blocks.push(this.#block);
    this.#at = 0;
    return true;
  }

  /** Seven bits a byte, the lowest first. */
  #put(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.#block[this.#at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#block[this.#at++] = rest;
  }

  #putSigned(value: number): void {
    this.#put(value < 0 ? -2 * value - 1 : 2 * value);
  }

  #putWhole(text: string): void {
    this.#put(text.length);
    this.#putText(text, true);
  }

  #putText(text: string, wide: boolean): void {
    if (wide) {
      this.#at += this.#block.write(text, this.#at, "utf16le");
      return;
    }
    // A call of the library costs more than a word of an answer.
    if (text.length > shortText) this.#at += this.#block.write(text, this.#at, "latin1");
    else for (let place = 0; place < text.length; place += 1) this.#block[this.#at++] = text.charCodeAt(place);
  }
}

const empty = Buffer.alloc(0);
const shortText = 64;

class BlockReader {
  readonly #block: Buffer;
  readonly #end: number;
  #at = 0;

  constructor(block: Buffer, end: number) {
    this.#block = block;
    this.#end = end;
  }

  get hasMore(): boolean {
    return this.#at < this.#end;
  }

  byte(): number {
    return this.#block[this.#at++] ?? 0;
  }

  number(): number {
    let value = 0;
    for (let weight = 1; ; weight *= 128) {
      const byte = this.byte();
      value += weight * (byte & 127);
      if (byte < 128) return value;
    }
  }

  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(wide: boolean): string {
    const length = this.number();
    const from = this.#at;
    this.#at += (wide ? 2 : 1) * length;
    return this.#block.toString(wide ? "utf16le" : "latin1", from, this.#at);
  }
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** Characters that both end with, beyond those that they begin with. */
function commonEnd(one: string, other: string, start: number): number {
  const most = Math.min(one.length, other.length) - start;
  let length = 0;
  while (length < most && one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length)) length += 1;
  return length;
}

/** Whether a character takes more than a byte. */
function isWide(text: string): boolean {
  for (let place = 0; place < text.length; place += 1) if (text.charCodeAt(place) > 255) return true;
  return false;
}
