import type { Exchange } from "./exchange.ts";
import { answeredAt, between, endedAt, type Instant, sentAt } from "./instant.ts";

export type Timed = Pick<Exchange, "timing">;

/** The instants of an exchange as judges read them: intervals. A record that does not say how late the instrument was is judged by what it says. */
export interface Moments {
  readonly sent: Instant;
  /** The head of the answer arrived; null: none did. */
  readonly answered: Instant | null;
  readonly ended: Instant;
}

export function momentsOf({ timing }: Timed): Moments {
  const known = { ...timing, lateMs: timing.lateMs ?? 0 };
  return { sent: sentAt(known), answered: answeredAt(known), ended: endedAt(known) };
}

/** For `toSorted`: in the order in which they were sent. */
export function bySending(one: Timed, other: Timed): number {
  return one.timing.sentMs - other.timing.sentMs;
}

/** One was certainly over before the other was sent. */
export function isOverBefore(one: Timed, other: Timed): boolean {
  return isBefore(momentsOf(one).ended, momentsOf(other).sent);
}

/** That holds at any place of both in their intervals. */
export function isBefore(one: Instant, other: Instant): boolean {
  return one.latestMs <= other.earliestMs;
}

/** The least time for which nothing came of the answer to a request: the instrument may have read it late. 0 where none came. */
export function leastWaitMs(exchange: Timed): number {
  const { sent, answered } = momentsOf(exchange);
  return answered === null ? 0 : between(sent, answered).leastMs;
}
