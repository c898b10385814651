/** Until when nothing may be sent with the key of a profile: the longest wait that the target asked for (Retry-After). */
export interface Hold {
  /** Instant on the run clock; -Infinity while nothing was asked for. */
  untilMs(): number;
  /** Moves it later, never earlier. */
  extend(untilMs: number): void;
}

export function createHold(): Hold {
  let until = -Infinity;
  return {
    untilMs: () => until,
    extend: (untilMs) => {
      until = Math.max(until, untilMs);
    },
  };
}

/** Memory for `createSharedHold`. */
export function allocateHold(): SharedArrayBuffer {
  return new SharedArrayBuffer(8);
}

/** One hold of several workers: what holds back one holds back all. Whole microseconds, rounded up. */
export function createSharedHold(memory: SharedArrayBuffer): Hold {
  const until = new BigInt64Array(memory);
  return {
    untilMs() {
      const microseconds = Atomics.load(until, 0);
      return microseconds === 0n ? -Infinity : Number(microseconds) / 1000;
    },
    extend(untilMs) {
      // Longer waits than a century are claims; they must not overflow.
      const wanted = BigInt(Math.ceil(Math.min(untilMs, 3e12) * 1000));
      for (let seen = Atomics.load(until, 0); wanted > seen;) {
        const found = Atomics.compareExchange(until, 0, seen, wanted);
        if (found === seen) return;
        seen = found;
      }
    },
  };
}
