/**
 * One answer on one requirement, from a judge or a limit check: the first of three steps from a statement to a report. One that
 * accuses says of what kind it is.
 */
export type Occurrence = (Said & { readonly outcome: "pass" | "observed" | "inconclusive" }) | Accusation;

/** An occurrence that finds the target wrong. */
export type Accusation = Said & { readonly outcome: "fail" | "advisory"; readonly kind: string };

interface Said {
  readonly requirement: string;
  /** Sequence numbers, the subject first. */
  readonly exchanges: readonly number[];
  /** Mandatory for every outcome but pass; a judge that accuses leaves it out where it is made of a place, or is the kind. */
  readonly message?: string;
  /** Part of the message: the kind of response. Violations that differ only in it are one finding. */
  readonly place?: string;
  /** Words of the message before and after the place; absent: none before it, and the kind after it. */
  readonly around?: readonly [before: string, after: string];
  /** Part of the message: the member of the request that it is about, where that is not the one that the request spoilt first. */
  readonly field?: string;
  /**
   * The fault, in words that are the same in every run: numbers are written 0, values "", the place is left out. The id of the
   * finding is made of it, so that it stays as it is when the message is written anew.
   */
  readonly kind?: string;
  readonly expected?: string;
  readonly observed?: string;
  /** Findings that report this already, with their proof: those of limit checks. No other is written for it. */
  readonly findings?: readonly string[];
  /**
   * Its judge asked for the content of this answer, which cannot be read: it says nothing of the requirement where other answers were
   * read.
   */
  readonly unread?: true;
  /** The record alone proves this violation, whatever holds for others of its judge. */
  readonly conclusive?: boolean;
  /** For outcome inconclusive: the machine or the moment may explain it, so that the same request may show it when it is sent again. */
  readonly asksAgain?: true;
  /** For outcome observed: the answer to the open question, equal for equal behaviour. */
  readonly answer?: string;
}
