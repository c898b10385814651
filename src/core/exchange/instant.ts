import type { Timing } from "./exchange.ts";

/** When something happened, as far as it is known: between two instants of the run clock, in milliseconds. */
export interface Instant {
  readonly earliestMs: number;
  readonly latestMs: number;
}

/** How long something took, as far as it is known. */
export interface Duration {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** The request left then. A thread that was held up after it took the time sent later than it says. */
export function sentAt({ sentMs, endMs, lateMs }: Timing): Instant {
  return { earliestMs: sentMs, latestMs: lateMs === undefined ? endMs : Math.min(endMs, sentMs + lateMs) };
}

/** The response head arrived then; null: none did. */
export function answeredAt({ sentMs, headersMs, lateMs }: Timing): Instant | null {
  return headersMs === null ? null : arrivedBy(headersMs, sentMs, lateMs);
}

/** The last byte arrived then, or the exchange failed. */
export function endedAt({ sentMs, endMs, lateMs }: Timing): Instant {
  return arrivedBy(endMs, sentMs, lateMs);
}

/**
 * Bytes that were read then had arrived before, by as much as the thread was late; if that was not measured, since the request
 * left.
 */
function arrivedBy(readMs: number, sentMs: number, lateMs: number | undefined): Instant {
  return { earliestMs: lateMs === undefined ? sentMs : Math.max(sentMs, readMs - lateMs), latestMs: readMs };
}

/** The time between two instants: at least as much as their nearer ends are apart, at most as their farther ones. */
export function between(from: Instant, to: Instant): Duration {
  return { leastMs: Math.max(0, to.earliestMs - from.latestMs), mostMs: to.latestMs - from.earliestMs };
}
