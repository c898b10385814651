import type { CalibrationResult, InstrumentAccuracy } from "../../../src/core/result/generator-health.ts";

/** A calibration whose errors up to the 95th percentile, or in the tail, are so many milliseconds. */
export function calibrated(p95: number, p99: number = p95): InstrumentAccuracy {
  const spread = { p50: p95 / 2, p95, p99, max: p99, samples: 700 };
  const calibration: CalibrationResult = {
    ttftErrorMs: spread,
    eventErrorMs: spread,
    interTokenErrorMs: spread,
    tpotErrorMs: spread,
    intervalCoverage: 0.998,
    upperBoundHeld: 1,
    ceiling: { requestsPerSecond: 1000, eventsPerSecond: 1000, streams: 100 },
    durationMs: 1640,
  };
  return { calibration };
}
