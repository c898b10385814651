/** Milliseconds, rounded to whole microseconds: what a ledger keeps, and far below what any instant here can be trusted to. */
export function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
