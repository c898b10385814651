import type { CalibrationResult, ErrorSpread } from "../../core/result/generator-health.ts";

/** Of several machines that measure together: every figure is that of the machine which is worst in it. Null for none. */
export function worstCalibration(all: readonly CalibrationResult[]): CalibrationResult | null {
  const [first, ...rest] = all;
  return first === undefined ? null : rest.reduce(worse, first);
}

function worse(one: CalibrationResult, other: CalibrationResult): CalibrationResult {
  const tpot = [one.tpotErrorMs, other.tpotErrorMs].filter((spread) => spread !== undefined);
  return {
    ttftErrorMs: wider(one.ttftErrorMs, other.ttftErrorMs),
    eventErrorMs: wider(one.eventErrorMs, other.eventErrorMs),
    interTokenErrorMs: wider(one.interTokenErrorMs, other.interTokenErrorMs),
    ...(tpot.length === 0 ? {} : { tpotErrorMs: tpot.reduce(wider) }),
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

/** Percentile by percentile; one that was not reported says nothing against the other. */
function wider(one: ErrorSpread, other: ErrorSpread): ErrorSpread {
  const most = (a: number | null, b: number | null): number | null => (a === null || b === null ? (a ?? b) : Math.max(a, b));
  return {
    p50: most(one.p50, other.p50),
    p99: most(one.p99, other.p99),
    samples: Math.min(one.samples, other.samples),
    p95: most(one.p95 ?? null, other.p95 ?? null),
    max: Math.max(one.max ?? 0, other.max ?? 0),
  };
}
