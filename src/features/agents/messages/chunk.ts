import { createHash } from "node:crypto";

/** A part of what an agent reports: numbered from 1, and chained, so that nothing is lost, doubled or moved unseen. */
export interface Chunk {
  readonly number: number;
  /** Of the chunk before. */
  readonly previous: string;
  readonly payload: string;
}

export const firstPrevious: string = "";

/** The name of this chunk in the next one. */
export function digestChunk({ number, previous, payload }: Chunk): string {
  return createHash("sha256").update(`${number}\n${previous}\n`).update(payload).digest("base64url");
}
