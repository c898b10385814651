import type { RetryHint } from "./op.ts";

/** A wait as one of the places names it that a client may read. */
export interface StatedWait {
  readonly seconds: number;
  readonly place: "Retry-After" | "retry-after in the body" | "retry_after_ms in the body" | "retry-after-ms";
}

/** Each place is a promise to a client that reads only that one, and the shortest is due first. null: none is usable. */
export function shortestWait(retry: RetryHint | null): StatedWait | null {
  const waits = [
    { place: "Retry-After", waitMs: retry?.header?.waitMs },
    { place: "retry-after in the body", waitMs: retry?.bodySeconds?.waitMs },
    { place: "retry_after_ms in the body", waitMs: retry?.bodyMs?.waitMs },
    { place: "retry-after-ms", waitMs: retry?.headerMs?.waitMs },
  ] as const;
  return waits.reduce<StatedWait | null>((least, { place, waitMs }) => {
    if (waitMs === undefined || waitMs === null || (least !== null && waitMs / 1000 >= least.seconds)) return least;
    return { place, seconds: waitMs / 1000 };
  }, null);
}
