import type { Clock } from "../../core/clock.ts";
import type { Hold } from "./hold.ts";

/**
 * Requests per second that a target may be sent at most, by everything of a load stage together: schedule, later turns, retries,
 * closed loops, readings of the usage report, in all threads.
 */
export interface RateAllowance {
  /**
   * Asks for one more; in no second more are written than allowed. A send without an instant of its own leaves a margin before
   * and after, since networks move requests that were sent a second apart. While `hold` holds, which the target may ask for
   * meanwhile, no place is used.
   */
  take(clock: Clock, stopped: AbortSignal, marginMs?: number, hold?: Pick<Hold, "untilMs">): TakenPlace;
}

export interface TakenPlace {
  /** Resolves when it may be sent, null at once. Rejects when it is aborted. */
  readonly free: Promise<void> | null;
  /** It is written now, perhaps long after it might be: the second counts from here. */
  written(): void;
  /** It is over; `sentMs`: when it was written, null where it never was. */
  ended(sentMs: number | null): void;
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
 * As many places as may be sent in a second; each is used once a second at most, counted from when its request was written.
 * Each caller takes the next place by turns and waits until that is free, or for another if its request is not written yet.
 */
export function createRateAllowance(memory: SharedArrayBuffer): RateAllowance {
  const cells = new BigInt64Array(memory);
  const windowUs = Atomics.load(cells, windowCell);
  const places = BigInt(cells.length - firstPlace);
  const nextPlace = (): number => firstPlace + Number(Atomics.add(cells, turnCell, 1n) % places);
  /** Uses the place; else how many milliseconds it is not free yet, null where nobody knows. */
  const use = (place: number, nowMs: number, marginUs: bigint): number | null => {
    const nowUs = toMicros(nowMs);
    const freeUs = Atomics.load(cells, place);
    if (freeUs === unwritten) return null;
    // A place that was never used needs no margin.
    const fromUs = freeUs === 0n ? 0n : freeUs + marginUs;
    if (nowUs < fromUs) return Number(fromUs - nowUs) / 1000;
    // Somebody else may have used it in between: then it is looked at again.
    return Atomics.compareExchange(cells, place, freeUs, unwritten) === freeUs ? 0 : 0.1;
  };
  return {
    take(clock, stopped, marginMs = 0, hold) {
      const marginUs = BigInt(1000 * marginMs);
      let place = nextPlace();
      let holds = false;
      const tryToUse = (): number => {
        const nowMs = clock.nowMs();
        const heldMs = (hold?.untilMs() ?? -Infinity) - nowMs;
        if (heldMs > 0) return heldMs;
        const waitMs = use(place, nowMs, marginUs);
        holds = waitMs === 0;
        if (waitMs === null) place = nextPlace();
        return waitMs ?? lookAgainMs;
      };
      const waitFor = async (firstMs: number): Promise<void> => {
        for (let waitMs = firstMs; waitMs > 0; waitMs = tryToUse()) await clock.sleep(waitMs, stopped);
      };
      const countFrom = (atMs: number): void => {
        if (holds) Atomics.store(cells, place, toMicros(atMs) + windowUs + marginUs);
        holds = false;
      };
      const waitMs = tryToUse();
      return {
        free: waitMs === 0 ? null : waitFor(waitMs),
        written: () => countFrom(clock.nowMs()),
        ended: (sentMs) => countFrom(sentMs ?? clock.nowMs()),
      };
    },
  };
}

function toMicros(ms: number): bigint {
  return BigInt(Math.floor(1000 * ms));
}

const turnCell = 0;
const windowCell = 1;
const firstPlace = 2;
/** The place is taken, and its second has not begun. */
const unwritten = 2n ** 62n;
const lookAgainMs = 5;
