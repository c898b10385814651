import type { CalibrationResult, ErrorSpread } from "../../core/result/generator-health.ts";

/** Of several machines that measure together: every figure is that of the machine which is worst in it. Null for none. */
export function worstCalibration(all: readonly CalibrationResult[]): CalibrationResult | null {
  const [first, ...rest] = all;
  return first === undefined ? null : rest.reduce(worse, first);
}

function worse(one: CalibrationResult, other: CalibrationResult): CalibrationResult {
  return {
    ttftErrorMs: wider(one.ttftErrorMs, other.ttftErrorMs),
    eventErrorMs: wider(one.eventErrorMs, other.eventErrorMs),
    interTokenErrorMs: wider(one.interTokenErrorMs, other.interTokenErrorMs),
    // The error of single gaps is no smaller than that of their means.
    tpotErrorMs: wider(one.tpotErrorMs ?? one.interTokenErrorMs, other.tpotErrorMs ?? other.interTokenErrorMs),
    intervalCoverage: Math.min(one.intervalCoverage, other.intervalCoverage),
    upperBoundHeld: Math.min(one.upperBoundHeld, other.upperBoundHeld),
    doubts: [...new Set([...(one.doubts ?? []), ...(other.doubts ?? [])])],
    ceiling: {
      requestsPerSecond: Math.min(one.ceiling.requestsPerSecond, other.ceiling.requestsPerSecond),
      eventsPerSecond: Math.min(one.ceiling.eventsPerSecond, other.ceiling.eventsPerSecond),
      streams: Math.min(one.ceiling.streams, other.ceiling.streams),
    },
    durationMs: Math.max(one.durationMs, other.durationMs),
  };
}

/** Percentile by percentile; one that is not known of either machine is not known of both. */
function wider(one: ErrorSpread, other: ErrorSpread): ErrorSpread {
  const most = (a: number | null = null, b: number | null = null): number | null =>
    a === null || b === null ? null : Math.max(a, b);
  const samples = Math.min(one.samples, other.samples);
  const largest = samples === 0 ? null : most(one.max ?? one.p99, other.max ?? other.p99);
  return {
    p50: most(one.p50, other.p50),
    p99: most(one.p99, other.p99),
    samples,
    p95: most(one.p95, other.p95),
    ...(largest !== null && { max: largest }),
  };
}
