import type { OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";

/** Windows in which a pause of two seconds or more brought nothing back although there was room for it. */
export function labelsWithoutRefill(ops: readonly OpOf<"tokens">[], tolerances: Tolerances): ReadonlySet<number | null> {
  const labels = new Set<number | null>();
  ops.forEach((later, index) => {
    const earlier = ops[index - 1];
    if (earlier?.phase !== "reading" || later.phase !== "reading" || earlier.tokens.resetMs !== later.tokens.resetMs) return;
    const spanMs = later.sentMs - earlier.headersMs;
    const room = (earlier.tokens.limit ?? 0) - (earlier.tokens.remaining ?? 0);
    const refill = ((earlier.tokens.limit ?? 0) / tolerances.windowMs) * spanMs;
    const fell = (earlier.tokens.remaining ?? 0) - (later.tokens.remaining ?? 0);
    if (spanMs >= 2000 && refill >= 8 && room >= refill / 2 && fell >= 0) labels.add(earlier.tokens.resetMs);
  });
  return labels;
}
