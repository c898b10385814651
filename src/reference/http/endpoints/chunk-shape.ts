/** Words of a stream that are the same in all its chunks. */
export interface ChunkWords {
  readonly object: string;
  readonly delta: string;
  /** JSON of `finish_reason` until the answer ends. */
  readonly pendingReason: string;
  /** JSON members at the end of each chunk, each after a comma. */
  readonly furtherMembers: string;
}

export interface ChunkIdentity {
  readonly id: string;
  readonly created: number;
}

/** A chunk of a stream. */
export interface ChunkShape {
  readonly words: (words: ChunkWords) => ChunkWords;
  /** Id and instant of the chunk with this ordinal, from 1. */
  readonly identity: (stream: ChunkIdentity, ordinal: number) => ChunkIdentity;
  readonly toolCall: (delta: { readonly index: number } & Readonly<Record<string, unknown>>) => object;
}

export const lawfulChunkShape: ChunkShape = {
  words: (words) => words,
  identity: (stream) => stream,
  toolCall: (delta) => delta,
};
