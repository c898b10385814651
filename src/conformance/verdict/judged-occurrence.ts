import type { Accusation, Judge, Occurrence } from "../judging/judge.ts";

/** An occurrence with the judge that yielded it. */
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
