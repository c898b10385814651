/** Whole microseconds: what a ledger keeps, and far below what any instant here can be trusted to. */
export function microsecondsOf(ms: number): number {
  return Math.round(ms * 1000);
}

/** Milliseconds, rounded to whole microseconds. */
export function roundToMicroseconds(ms: number): number {
  return microsecondsOf(ms) / 1000;
}
