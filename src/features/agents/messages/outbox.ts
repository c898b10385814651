import { type Chunk, firstPrevious, digestChunk } from "./chunk.ts";

/** Sends chunks and keeps each until it is acknowledged. */
export interface Outbox {
  /** False when more is unacknowledged than may be held; the chunk is then not taken. */
  post(payload: string): boolean;
  /** All up to this number have arrived. */
  acknowledge(number: number): void;
  /** Sends again what was not acknowledged: the other side takes each number once. */
  repeat(): void;
  readonly unacknowledged: number;
  readonly heldBytes: number;
}

export interface OutboxOptions {
  readonly send: (chunk: Chunk) => void;
  readonly mostBytes: number;
}

export function createOutbox({ send, mostBytes }: OutboxOptions): Outbox {
  let held: Chunk[] = [];
  let heldBytes = 0;
  let last = 0;
  let previous: string = firstPrevious;
  return {
    post(payload) {
      const bytes = Buffer.byteLength(payload);
      if (heldBytes > 0 && heldBytes + bytes > mostBytes) return false;
      const chunk = { number: last + 1, previous, payload };
      last += 1;
      previous = digestChunk(chunk);
      held.push(chunk);
      heldBytes += bytes;
      send(chunk);
      return true;
    },
    acknowledge(number) {
      const done = held.findIndex((chunk) => chunk.number > number);
      const gone = done === -1 ? held : held.slice(0, done);
      for (const { payload } of gone) heldBytes -= Buffer.byteLength(payload);
      held = done === -1 ? [] : held.slice(done);
    },
    repeat() {
      for (const chunk of held) send(chunk);
    },
    get unacknowledged() {
      return held.length;
    },
    get heldBytes() {
      return heldBytes;
    },
  };
}
