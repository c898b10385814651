import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";

/** Wall clock of the target less the local one: it lies between the two, unless the Date fields contradict each other. */
export interface WallOffset {
  readonly lowMs: number;
  readonly highMs: number;
  readonly split: boolean;
}

/** Date is cut to seconds and was written between sending and receipt; null when no response carries one. */
export function readWallOffset(exchanges: readonly Exchange[]): WallOffset | null {
  let lowMs = Number.NEGATIVE_INFINITY;
  let highMs = Number.POSITIVE_INFINITY;
  for (const exchange of exchanges) {
    const { dateMs, timing } = factsOf(exchange);
    if (dateMs === null || timing.headersMs === null) continue;
    lowMs = Math.max(lowMs, dateMs - (timing.wallMs + timing.headersMs - timing.sentMs));
    highMs = Math.min(highMs, dateMs + 1000 - timing.wallMs);
  }
  return Number.isFinite(lowMs) ? { lowMs, highMs, split: lowMs > highMs } : null;
}
