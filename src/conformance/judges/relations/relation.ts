import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";

/**
 * A statement that the specification makes in two places, and so has to be the same in both. It is judged over the whole record,
 * whichever case or stage asked.
 */
export interface Relation {
  /** `usage/same-total/hour-and-day/prompt_tokens` */
  readonly id: string;
  readonly requirement: string;
  /** The requests or answers that are compared, by what is equal in them. */
  readonly held: string;
  /** The respect in which they may differ. */
  readonly varies: string;
  /** Members or header fields that have to agree, or add up. */
  readonly agrees: string;
  /** The defect, where the relation does not hold; the same for relations that fail together. */
  readonly says: string;
  readonly compare: (record: readonly ExchangeFacts[]) => Iterable<Comparison>;
}

/** One comparison that the record allows. */
export interface Comparison {
  /** Sequence numbers, the later answer first: it is the one that is sent again where they disagree. */
  readonly exchanges: readonly number[];
  readonly holds: boolean;
  readonly expected: string;
  readonly observed: string;
  /** The record alone proves it: two statements that cannot both be true. Else it is asked again first. */
  readonly isProven: boolean;
  /** The record shows too little to say: more of it is asked for, once. */
  readonly isDoubtful?: true;
}
