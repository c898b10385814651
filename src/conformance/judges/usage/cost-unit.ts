import type { UsageReport } from "./usage-report.ts";

/** Nobody rounds a bill to more than cents. */
export const coarsestUnit = 0.01;
const centDigits = 2;

/** The last decimal place of a dollar that any of these reports shows: at most a cent, at least a billionth. */
export function costUnitOf(reports: readonly UsageReport[]): number {
  const places = reports.map(({ totalCostUsd }) => {
    for (let digits = centDigits; digits < 9; digits += 1) {
      const scaled = (totalCostUsd ?? 0) * 10 ** digits;
      if (Math.abs(scaled - Math.round(scaled)) < 1e-6) return digits;
    }
    return 9;
  });
  return 10 ** -Math.max(centDigits, ...places);
}
