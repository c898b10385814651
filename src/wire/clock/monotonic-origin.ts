/** Readings at most; on a quiet machine the first few are close enough. */
const readingsAtMost = 100;
/** Half of it is the error: a thousandth of a millisecond. */
const closeEnoughMs = 0.002;

/**
 * The reading of CLOCK_MONOTONIC, in milliseconds, at the instant at which a clock shows 0. All threads and processes of a
 * machine read CLOCK_MONOTONIC, each beside a clock with an origin of its own. On a busy machine a thread may stand still
 * between two readings, for longer than answers take: of several tries the one that took least time counts (Cristian,
 * "Probabilistic clock synchronization", 1989).
 */
export function monotonicOriginMs(nowMs: () => number, monotonicMs: () => number = readMonotonicMs): number {
  let originMs = 0;
  let leastMs = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < readingsAtMost && leastMs > closeEnoughMs; reading += 1) {
    const beforeMs = monotonicMs();
    const shownMs = nowMs();
    const afterMs = monotonicMs();
    if (afterMs - beforeMs >= leastMs) continue;
    leastMs = afterMs - beforeMs;
    originMs = (beforeMs + afterMs) / 2 - shownMs;
  }
  return originMs;
}

function readMonotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
