/** One question to another clock and its answer; the first two instants by the clock here, the others by the clock there. */
export interface ClockExchange {
  readonly askedMs: number;
  readonly heardMs: number;
  readonly takenMs: number;
  readonly answeredMs: number;
}

/** By how much the other clock is ahead of the one here: it lies somewhere inside. */
export interface OffsetInterval {
  readonly lowMs: number;
  readonly highMs: number;
}

export interface ClockInterval {
  /** Narrows the interval. False when the exchange contradicts all before it: a clock was set, and what was known is dropped. */
  observe(exchange: ClockExchange): boolean;
  /** At an instant of the clock here; null before the first exchange. */
  at(hereMs: number): OffsetInterval | null;
}

/** Two clocks that the kernel slews by 500 millionths at most, one each way; by the slower one that is a little more. */
const driftBound = 0.001001;
/** Sums of binary fractions. */
const roundingMs = 0.001;

/**
 * The offset of another clock as an interval that holds whatever the two ways of the network took: the answer was not given
 * before the question left, nor after it arrived. Every exchange is intersected with those before it, which widen by what the
 * clocks may have drifted since. Sound for clocks that are never set (CLOCK_MONOTONIC); one that is set by more than the width
 * of the interval contradicts itself at the next exchange.
 */
export function createClockInterval(): ClockInterval {
  let known: (OffsetInterval & { readonly hereMs: number }) | null = null;
  const at = (hereMs: number): OffsetInterval | null => {
    if (known === null) return null;
    const widerMs = driftBound * Math.abs(hereMs - known.hereMs);
    return { lowMs: known.lowMs - widerMs, highMs: known.highMs + widerMs };
  };
  return {
    at,
    observe({ askedMs, heardMs, takenMs, answeredMs }) {
      const slackMs = driftBound * (heardMs - askedMs) + roundingMs;
      const seen = { lowMs: answeredMs - heardMs - slackMs, highMs: takenMs - askedMs + slackMs };
      const before = at(heardMs);
      const lowMs = Math.max(seen.lowMs, before?.lowMs ?? -Infinity);
      const highMs = Math.min(seen.highMs, before?.highMs ?? Infinity);
      const agrees = lowMs <= highMs;
      known = agrees ? { lowMs, highMs, hereMs: heardMs } : { ...seen, hereMs: heardMs };
      return agrees;
    },
  };
}

/** By how much an instant may be wrong that was carried to the other clock with one fixed offset. */
export function clockErrorMs({ lowMs, highMs }: OffsetInterval, usedOffsetMs: number): number {
  return Math.max(Math.abs(highMs - usedOffsetMs), Math.abs(usedOffsetMs - lowMs));
}
