import type { Exchange } from "./exchange.ts";

/** A request that may be a witness: from its sending to its end, its answer in between or none. */
export interface Witness {
  readonly seq: number;
  readonly sentMs: number;
  readonly headersMs: number | null;
  readonly endMs: number;
}

/** Whether the whole service, and not what one request asked for, explains that nothing came in a span of the run clock. */
export interface StallFinder {
  /** `seq`: the request that waited; it is no witness. */
  isStall(seq: number, fromMs: number, toMs: number): boolean;
}

/** A witness waits for at least this share of the span, and an answer that took less than it shows a service at work. */
const witnessShare = 0.5;
/** Nobody calls a shorter wait one. */
const leastStallMs = 500;

/**
 * A service that answers nobody for a while (a pause of its machine, a collection of its garbage) holds nobody back: other keys and
 * requests without a key waited as long. One answer in that span, to anybody, shows that it was at work; without any other request in
 * that span nobody knows, and it is no stall.
 */
export function findStalls(witnesses: readonly Witness[]): StallFinder {
  return {
    isStall(seq, fromMs, toMs) {
      if (toMs - fromMs < leastStallMs) return false;
      const shortMs = witnessShare * (toMs - fromMs);
      let waited = false;
      for (const { seq: other, sentMs, headersMs, endMs } of witnesses) {
        if (other === seq || endMs <= fromMs || sentMs >= toMs) continue;
        const answeredMs = headersMs ?? Number.POSITIVE_INFINITY;
        if (sentMs >= fromMs && answeredMs <= toMs && answeredMs - sentMs < shortMs) return false;
        if (Math.min(toMs, endMs, answeredMs) - Math.max(fromMs, sentMs) >= shortMs) waited = true;
      }
      return waited;
    },
  };
}

/** An exchange as a witness. */
export function witnessOf({ seq, timing }: Pick<Exchange, "seq" | "timing">): Witness {
  const { sentMs, headersMs, endMs } = timing;
  return { seq, sentMs, headersMs, endMs };
}
