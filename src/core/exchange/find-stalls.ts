import type { Exchange } from "./exchange.ts";
import { momentsOf, type Timed } from "./moments.ts";

/**
 * A request that may be a witness: sent at the earliest and answered at the latest, if it was, and over by its end. It waited for no longer
 * than that; whether the service or this machine stood still, nobody was held back.
 */
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
 * requests without a key waited as long. An answer to anybody shows that it was at work until then: the silence begins with the last one.
 * A witness waits through most of the span within that silence, and came after all that was answered before: one that was passed over may
 * be held alone, as the one in question. Without any other request in that silence nobody knows, and it is no stall.
 */
export function findStalls(witnesses: readonly Witness[]): StallFinder {
  return {
    isStall(seq, fromMs, toMs) {
      if (toMs - fromMs < leastStallMs) return false;
      const shortMs = witnessShare * (toMs - fromMs);
      // When it goes on, others may be answered a little before.
      const goesOnMs = toMs - Math.min(leastStallMs, (toMs - fromMs) / 10);
      const others = witnesses.filter((one) => one.seq !== seq && one.endMs > fromMs && one.sentMs < toMs);
      let [silentMs, servedMs] = [fromMs, Number.NEGATIVE_INFINITY];
      for (const { sentMs, headersMs } of others) {
        if (headersMs === null || headersMs - sentMs >= shortMs || sentMs < fromMs || headersMs > goesOnMs) continue;
        silentMs = Math.max(silentMs, headersMs);
        servedMs = Math.max(servedMs, sentMs);
      }
      return others.some(
        ({ sentMs, headersMs, endMs }) =>
          sentMs > servedMs && Math.min(toMs, endMs, headersMs ?? toMs) - Math.max(silentMs, sentMs) >= shortMs,
      );
    },
  };
}

/** An exchange as a witness. */
export function witnessOf(exchange: Timed & Pick<Exchange, "seq">): Witness {
  const { sent, answered, ended } = momentsOf(exchange);
  return { seq: exchange.seq, sentMs: sent.earliestMs, headersMs: answered?.latestMs ?? null, endMs: ended.latestMs };
}
