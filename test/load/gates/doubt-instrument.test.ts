import { createRandom } from "../../../src/core/random.ts";
import { describe, expect, it } from "vitest";
import type { GateResult } from "../../../src/core/result/gate-result.ts";
import type { CalibrationResult, ErrorSpread, InstrumentAccuracy } from "../../../src/core/result/generator-health.ts";
import { instrumentDoubts } from "../../../src/load/gates/doubt-instrument.ts";
import { parseGate } from "../../../src/load/gates/parse-gate.ts";
import type { GateSource } from "../../../src/load/gates/read-figure.ts";
import { settleGates, type SettledGates } from "../../../src/load/gates/settle-gates.ts";
import { createSampleSet } from "../../../src/load/statistics/sample-set.ts";

const spread = (p50: number, p95: number, p99: number): ErrorSpread => ({ p50, p95, p99, max: 2 * p99, samples: 700 });

function calibrated(error: ErrorSpread, change: Partial<CalibrationResult> = {}): CalibrationResult {
  return {
    ttftErrorMs: error,
    eventErrorMs: error,
    interTokenErrorMs: error,
    tpotErrorMs: error,
    intervalCoverage: 0.998,
    upperBoundHeld: 1,
    ceiling: { requestsPerSecond: 1, eventsPerSecond: 1, streams: 1 },
    durationMs: 1,
    ...change,
  };
}

/** A gate over two hundred latencies up to so many milliseconds, judged and then doubted. */
function judge(expression: string, most: number, calibration: CalibrationResult | null): GateResult | undefined {
  return settle([expression], most, { calibration }).gates[0];
}

function settle(gates: readonly string[], most: number, accuracy: InstrumentAccuracy): SettledGates {
  const samples = createSampleSet();
  const random = createRandom(3);
  const order = Array.from({ length: 200 }, (_, index) => ({ value: ((index + 1) * most) / 200, at: random.next() }));
  for (const { value } of order.sort((a, b) => a.at - b.at)) samples.add(value);
  const source: GateSource = {
    endpoints: ["chat"],
    samples: () => samples,
    fraction: () => ({ part: 0, whole: 200, inOrder: new Float64Array(200) }),
    rate: () => null,
    count: () => 0,
    isEstimated: () => false,
    guessed: () => ({ tokens: 0, good: 0, unread: 0 }),
    givenUp: () => 0,
    where: () => source,
    timeoutSeconds: 60,
    planned: null,
    certainErrors: () => 0,
    observation: () => 0,
    paused: () => 0,
    capacity: null,
    limits: () => 0,
  };
  const outcomes = { ok: 200 };
  return settleGates({
    gates: gates.map(parseGate),
    source,
    outcomes,
    partly: false,
    early: null,
    faults: [],
    sent: { whole: true, punctual: true },
    lateness: null,
    shift: null,
    ...accuracy,
    growthMs: 0,
  });
}

describe("the error of the calibration", () => {
  it("takes back no verdict that it could not have turned", () => {
    expect(judge("ttft.p95 < 800ms", 300, calibrated(spread(1, 3, 5)))?.verdict).toBe("pass");
    expect(judge("ttft.p95 < 800ms", 300, calibrated(spread(5, 60, 90)))?.verdict).toBe("pass");
    expect(judge("ttft.p95 < 100ms", 300, calibrated(spread(5, 60, 90)))?.verdict).toBe("fail");
    expect(judge("ttft.p95 < 800ms", 300, null)?.verdict).toBe("pass");
  });

  it("takes back what it could have turned, and says how large it was", () => {
    const close = judge("ttft.p95 < 300ms", 270, calibrated(spread(1, 40, 60)));
    expect(close).toMatchObject({ verdict: "inconclusive", margin: null });
    expect(close?.reason).toContain(
      "this machine was up to 40 ms off in the calibration, too much to distinguish this from 300 ms",
    );
    expect(judge("ttft.p95 < 250ms", 300, calibrated(spread(1, 60, 90)))?.verdict).toBe("inconclusive");
    expect(judge("user_latency.p50 > 130ms", 300, calibrated(spread(20, 60, 90)))?.verdict).toBe("inconclusive");
  });

  it("withholds no gate that is farther from its bound than the error, however large that is", () => {
    const coarse = calibrated(spread(60, 400, 631));
    expect(judge("ttft.p95 < 800ms", 100, coarse)?.verdict).toBe("pass");
    expect(judge("ttft.p95 < 450ms", 100, coarse)?.verdict).toBe("inconclusive");
    // The median of the error is what a median suffers from.
    expect(judge("ttft.p50 < 800ms", 100, coarse)?.verdict).toBe("pass");
    expect(judge("ttft.p95 < 5s", 100, coarse)?.verdict).toBe("pass");
    expect(judge("error_rate < 5%", 100, coarse)?.verdict).toBe("pass");
  });

  it("counts by its tail where intervals held too seldom", () => {
    const error = spread(1, 3, 90);
    expect(judge("ttft.p50 < 120ms", 100, calibrated(error))?.verdict).toBe("pass");
    const blurred = judge("ttft.p50 < 120ms", 100, calibrated(error, { intervalCoverage: 0.744 }));
    expect(blurred?.verdict).toBe("inconclusive");
    expect(blurred?.reason).toContain("74.4 % of its intervals held");
    expect(judge("ttft.p50 < 800ms", 100, calibrated(error, { intervalCoverage: 0.744 }))?.verdict).toBe("pass");
  });

  it("is reported loudly below 99.5 % of coverage, and makes a profile invalid where stamps came before their events", () => {
    expect(instrumentDoubts(calibrated(spread(1, 2, 3)))).toEqual([]);
    expect(instrumentDoubts(calibrated(spread(1, 2, 3), { intervalCoverage: 0.97 })).join()).toContain(
      "hold for 97.0 % of the events of calibration",
    );
    // A share just below what is needed does not read like it.
    expect(instrumentDoubts(calibrated(spread(1, 2, 3), { intervalCoverage: 0.9949 })).join()).toMatch(
      /99\.4 % .*\(99\.5 % needed\)/,
    );
    const early = calibrated(spread(1, 2, 3), { upperBoundHeld: 0.99 });
    const reason = "instrument: 1.0 % of the events were stamped before they were sent";
    expect(instrumentDoubts(early)).toEqual([reason]);
    expect(settle([], 100, { calibration: early }).validity).toEqual({ valid: false, reasons: [reason] });
  });

  it("is read from results that reported a p99 of few samples and no more", () => {
    const older = { p50: 1, p99: 500, samples: 60 };
    expect(judge("ttft.p95 < 550ms", 100, calibrated(older))?.verdict).toBe("inconclusive");
  });

  it("is unknown after a calibration that failed: gates on times are not judged, and those on counts stand", () => {
    const uncalibrated = "the calibration of this machine failed: no event";
    const gates = ["ttft.p95 < 800ms", "ttft.p95 < 1ms", "tpot.mean < 1ms", "error_rate < 5%", "errors == 0"];
    const settled = settle(gates, 300, { calibration: null, uncalibrated });
    expect(settled.gates.map(({ verdict }) => verdict)).toEqual(["inconclusive", "inconclusive", "inconclusive", "pass", "pass"]);
    expect(settled.gates.map(({ doubt }) => doubt)).toEqual(["instrument", "instrument", "instrument", undefined, undefined]);
    expect(settled.gates[0]?.reason).toContain(uncalibrated);
    expect(settled.validity.valid).toBe(true);
  });

  it("is unknown where the calibration saw no time of that kind, and 0 is no size of it", () => {
    const nothing: ErrorSpread = { p50: null, p95: null, p99: null, max: 0, samples: 0 };
    const blind = calibrated(spread(1, 3, 5), { ttftErrorMs: nothing });
    expect(judge("ttft.p95 < 800ms", 300, blind)).toMatchObject({ verdict: "inconclusive", doubt: "instrument" });
    expect(judge("user_latency.p95 < 800ms", 300, blind)?.verdict).toBe("pass");
  });

  it("of mean gaps is that of single gaps in results that do not state it", () => {
    const { tpotErrorMs: _, ...older } = calibrated(spread(1, 60, 90));
    expect(judge("tpot.p95 < 320ms", 300, older)?.verdict).toBe("inconclusive");
    expect(judge("tpot.p95 < 800ms", 300, older)?.verdict).toBe("pass");
  });

  it("of too few events for a median is the largest that was seen", () => {
    const few: ErrorSpread = { p50: null, p99: null, max: 80, samples: 3 };
    expect(judge("ttft.p50 < 60ms", 100, calibrated(few))?.verdict).toBe("inconclusive");
    expect(judge("ttft.p50 < 800ms", 100, calibrated(few))?.verdict).toBe("pass");
  });
});
