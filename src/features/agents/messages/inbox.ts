import { type Chunk, firstPrevious, digestChunk } from "./chunk.ts";

/** Takes chunks in any order and any number of times, and hands each over once, in order. */
export interface Inbox {
  /** Throws a ChunkError for a chunk that does not continue the chain. */
  take(chunk: Chunk): void;
  /** Number up to which all were handed over. */
  readonly received: number;
}

export class ChunkError extends Error {
  override name = "ChunkError";
}

/** Chunks that came before one that is missing; the sender repeats what is beyond. */
const mostEarly = 256;

export function createInbox(deliver: (payload: string) => void): Inbox {
  let received = 0;
  let previous: string = firstPrevious;
  const early = new Map<number, Chunk>();
  return {
    take(chunk) {
      if (chunk.number <= received) return;
      if (chunk.number !== received + 1) {
        if (early.size < mostEarly) early.set(chunk.number, chunk);
        return;
      }
      for (let next: Chunk | undefined = chunk; next !== undefined; next = early.get(received + 1)) {
        early.delete(next.number);
        if (next.previous !== previous) throw new ChunkError(`chunk ${next.number} does not follow the one before it`);
        previous = digestChunk(next);
        received = next.number;
        deliver(next.payload);
      }
    },
    get received() {
      return received;
    },
  };
}
