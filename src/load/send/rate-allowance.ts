import type { Clock } from "../../core/clock.ts";
import type { Hold } from "./hold.ts";

/**
 * Requests per second that a target may be sent at most, by everything of a load stage together: schedule, later turns, retries,
 * closed loops, readings of the usage report, in all threads.
 */
export interface RateAllowance {
  /**
   * Resolves when one more may be sent, null at once; in no second there are more than allowed. Rejects when it is aborted. What
   * has no instant of its own leaves a margin before and after, since networks move what was sent a second apart. While `hold`
   * holds, which the target may ask for meanwhile, no place is used.
   */
  take(clock: Clock, stopped: AbortSignal, marginMs?: number, hold?: Pick<Hold, "untilMs">): Promise<void> | null;
}

/** Memory for `createRateAllowance`, which threads may share; null where anything may be sent. */
export function allocateRateAllowance(perSecond: number | null): SharedArrayBuffer | null {
  if (perSecond === null) return null;
  const places = Math.min(1_000_000, Math.max(1, Math.floor(perSecond)));
  const memory = new SharedArrayBuffer(8 * (firstPlace + places));
  const cells = new BigInt64Array(memory);
  cells[windowCell] = BigInt(Math.ceil(1e6 * Math.max(1, 1 / perSecond)));
  return memory;
}

/**
 * As many places as may be sent in a second; each is used once a second at most, counted from when it was really used. Whoever
 * comes takes the next place by turns and waits until that is free.
 */
export function createRateAllowance(memory: SharedArrayBuffer): RateAllowance {
  const cells = new BigInt64Array(memory);
  const windowUs = Atomics.load(cells, windowCell);
  const places = BigInt(cells.length - firstPlace);
  /** Uses the place; else how many milliseconds it is not free yet. */
  const use = (place: number, nowMs: number, marginUs: bigint): number => {
    const nowUs = BigInt(Math.floor(1000 * nowMs));
    const freeUs = Atomics.load(cells, place);
    // What was never used needs no margin.
    const fromUs = freeUs === 0n ? 0n : freeUs + marginUs;
    if (nowUs < fromUs) return Number(fromUs - nowUs) / 1000;
    // Somebody else may have used it in between: then it is looked at again.
    return Atomics.compareExchange(cells, place, freeUs, nowUs + windowUs + marginUs) === freeUs ? 0 : 0.1;
  };
  return {
    take(clock, stopped, marginMs = 0, hold) {
      const place = firstPlace + Number(Atomics.add(cells, turnCell, 1n) % places);
      const tryToUse = (): number => {
        const nowMs = clock.nowMs();
        const heldMs = (hold?.untilMs() ?? -Infinity) - nowMs;
        return heldMs > 0 ? heldMs : use(place, nowMs, BigInt(1000 * marginMs));
      };
      const waitFor = async (firstMs: number): Promise<void> => {
        for (let waitMs = firstMs; waitMs > 0; waitMs = tryToUse()) await clock.sleep(waitMs, stopped);
      };
      const waitMs = tryToUse();
      return waitMs === 0 ? null : waitFor(waitMs);
    },
  };
}

const turnCell = 0;
const windowCell = 1;
const firstPlace = 2;
