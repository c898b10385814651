/** A billing month in UTC: [startMs, endMs). */
export interface BillingCycle {
  /** Start date, `2026-11-01`. */
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Cycle that contains `nowMs`; it begins on day `anchorDay` (1 to 28) of a month at 00:00 UTC. */
export function billingCycleAt(nowMs: number, anchorDay = 1): BillingCycle {
  const now = new Date(nowMs);
  const month = now.getUTCDate() >= anchorDay ? now.getUTCMonth() : now.getUTCMonth() - 1;
  const startMs = Date.UTC(now.getUTCFullYear(), month, anchorDay);
  const endMs = Date.UTC(now.getUTCFullYear(), month + 1, anchorDay);
  return { id: new Date(startMs).toISOString().slice(0, 10), startMs, endMs };
}
