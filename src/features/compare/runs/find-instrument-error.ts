import type { CalibrationResult, ErrorSpread } from "../../../core/result/generator-health.ts";
import type { Result } from "../../../core/result/result.ts";
import { tailOf } from "../../../load/gates/doubt-instrument.ts";
import type { InstrumentError } from "./compare-profiles.ts";

/** The error of both runs by their calibrations: that of the worse one. */
export function findInstrumentError(base: Result, next: Result): InstrumentError {
  const worst = (of: (calibration: CalibrationResult) => ErrorSpread): number | null => {
    const errors = [base, next].map(({ load }) => (load?.calibration == null ? null : tailOf(of(load.calibration))));
    return errors.reduce((most, error) => (most === null || error === null ? null : Math.max(most, error)), 0);
  };
  const ttft = worst(({ ttftErrorMs }) => ttftErrorMs);
  const event = worst(({ eventErrorMs }) => eventErrorMs);
  const gap = worst(({ interTokenErrorMs }) => interTokenErrorMs);
  // Older calibrations have no error of means; that of single gaps is no smaller.
  const mean = worst(({ tpotErrorMs, interTokenErrorMs }) => tpotErrorMs ?? interTokenErrorMs);
  return (metric) => {
    if (metric === "ttft") return ttft;
    if (metric === "tpot") return mean;
    if (metric === "inter-chunk") return gap;
    return metric === "service-latency" || metric === "user-latency" ? event : 0;
  };
}
