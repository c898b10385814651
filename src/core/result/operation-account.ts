import type { Exchange } from "../exchange/exchange.ts";

/** The fate of all requests of one stage to one operation: `sent` is the sum of all others. */
export interface OperationAccount {
  readonly stage: Exchange["stage"];
  /** Name of the endpoint; `other` for paths that the specification does not describe. */
  readonly operation: string;
  readonly sent: number;
  /** Answers that judges read, each of which has its rows. */
  readonly judged: number;
  /** Answers that arrived and could not be read, by what was in the way: rows that demand a readable answer fail for them. */
  readonly unreadable: readonly AccountEntry[];
  /** Requests of which nothing could be judged for another reason. */
  readonly excused: readonly AccountEntry[];
}

export interface AccountEntry {
  readonly reason: string;
  readonly count: number;
}
