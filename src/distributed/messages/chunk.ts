/** A part of what an agent reports: numbered from 1, and chained, so that nothing is lost, doubled or moved unseen. */
export interface Chunk {
  readonly number: number;
  /** Of the chunk before. */
  readonly previous: string;
  readonly payload: string;
}

export const firstPrevious: string = "";
