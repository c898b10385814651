import type { Exchange } from "../../core/exchange/exchange.ts";
import { singleHeader } from "../../core/exchange/header-list.ts";
import { parseHttpDate } from "../../core/exchange/http-date.ts";

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
  for (const { response, timing } of exchanges) {
    const date = response === null ? null : singleHeader(response.headers, "date");
    const unixMs = date === null ? null : parseHttpDate(date, timing.wallMs);
    if (unixMs === null || timing.headersMs === null) continue;
    lowMs = Math.max(lowMs, unixMs - (timing.wallMs + timing.headersMs - timing.sentMs));
    highMs = Math.min(highMs, unixMs + 1000 - timing.wallMs);
  }
  return Number.isFinite(lowMs) ? { lowMs, highMs, split: lowMs > highMs } : null;
}
