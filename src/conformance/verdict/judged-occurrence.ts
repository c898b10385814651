import type { Exchange } from "../../core/exchange/exchange.ts";
import { StrayJudgeFault } from "../judging/harness-fault.ts";
import { type Accusation, isAccusation, type Judge, messageOf, type Occurrence } from "../judging/judge.ts";

/**
 * An occurrence with the judge that yielded it: the second of three steps from a statement to a report. The verdict of a requirement
 * (`settleRequirement`) rests on these, and each finding (`writeFindings`) reports those that show one defect.
 */
export type JudgedOccurrence = Occurrence & {
  readonly judge: string;
  readonly aspect?: Judge["aspect"];
  /** The record alone proves it, as its judge says; repeating the request would add nothing. */
  readonly conclusive: boolean;
  /** The error of the judge on this subject: it says nothing about it then. Absent where it did not. */
  readonly fault?: string;
  /** Its judge asked for content of this answer that cannot be read: an accusation follows from that. */
  readonly followsUnread?: true;
};

/** One that accuses the target. */
export type JudgedViolation = JudgedOccurrence & Accusation;

/** The statement of a judge, with its name; throws if the requirement is none of its own. */
export function signOccurrence(occurrence: Occurrence, judge: Judge): JudgedOccurrence {
  if (judge.boundByIntent !== true && !judge.covers.includes(occurrence.requirement)) {
    throw new StrayJudgeFault(`judge ${judge.id} yielded ${occurrence.requirement}, which it does not cover`);
  }
  const { id, aspect, conclusive } = judge;
  return {
    ...occurrence,
    ...(isAccusation(occurrence) && { message: messageOf(occurrence) }),
    judge: id,
    ...(aspect === undefined ? {} : { aspect }),
    conclusive: (occurrence.conclusive ?? conclusive) === true,
  };
}

/** The exchange that it is about: the first that it names. */
export function subjectOf({ exchanges }: Occurrence, bySeq: ReadonlyMap<number, Exchange>): Exchange | undefined {
  return bySeq.get(exchanges[0] ?? 0);
}

/** Sequence number of the first attempt of a request. */
export function rootOf({ seq, retryOf }: Pick<Exchange, "seq" | "retryOf">): number {
  return retryOf ?? seq;
}

const exchangesListed = 5;

/** A few sequence numbers that show what was said, in order. */
export function listExchanges(occurrences: readonly Occurrence[]): readonly number[] {
  const all = new Set(occurrences.flatMap(({ exchanges }) => exchanges));
  return [...all].toSorted((one, other) => one - other).slice(0, exchangesListed);
}
