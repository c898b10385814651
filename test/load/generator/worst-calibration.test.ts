import { describe, expect, it } from "vitest";
import type { CalibrationResult, ErrorSpread } from "../../../src/core/result/generator-health.ts";
import { worstCalibration } from "../../../src/load/generator/worst-calibration.ts";
import { fixedCalibration } from "../../features/agents/agent-card-fixture.ts";

const known: ErrorSpread = { p50: 1, p95: 2, p99: 3, max: 4, samples: 500 };
const large: ErrorSpread = { p50: 5, p95: 6, p99: 7, max: 8, samples: 400 };
const few: ErrorSpread = { p50: null, p95: null, p99: null, max: 9, samples: 3 };
const none: ErrorSpread = { p50: null, p99: null, samples: 0 };

function calibrated(ttftErrorMs: ErrorSpread, change: Partial<CalibrationResult> = {}): CalibrationResult {
  return { ...fixedCalibration, ttftErrorMs, eventErrorMs: known, interTokenErrorMs: known, ...change };
}

describe("worstCalibration", () => {
  it("takes the larger error of two that are known, and is null without any machine", () => {
    expect(worstCalibration([calibrated(known), calibrated(large)])?.ttftErrorMs).toEqual({ ...large, samples: 400 });
    expect(worstCalibration([])).toBeNull();
  });

  it("knows no percentile that is not known of each machine, and the largest of both", () => {
    for (const pair of [
      [few, known],
      [known, few],
    ] as const) {
      const worst = worstCalibration(pair.map((one) => calibrated(one)));
      expect(worst?.ttftErrorMs).toEqual({ p50: null, p95: null, p99: null, max: 9, samples: 3 });
    }
  });

  it("knows nothing of an error that one machine could not measure", () => {
    for (const pair of [
      [none, known],
      [known, none],
      [{ ...none, max: 0 }, known],
    ] as const) {
      const worst = worstCalibration(pair.map((one) => calibrated(one)));
      expect(worst?.ttftErrorMs).toEqual({ p50: null, p95: null, p99: null, samples: 0 });
    }
  });

  it("takes the error of single gaps for that of their means where a machine does not state it", () => {
    const one = calibrated(known, { interTokenErrorMs: large });
    expect(worstCalibration([one, calibrated(known, { tpotErrorMs: known })])?.tpotErrorMs).toEqual({ ...large, samples: 400 });
  });
});
