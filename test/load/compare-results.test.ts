import { describe, expect, it } from "vitest";
import type { CompareResult } from "../../src/core/compare-result.ts";
import type { CalibrationResult } from "../../src/core/load-result.ts";
import type { ConformanceResult } from "../../src/core/conformance-result.ts";
import { normalQuantile } from "../../src/load/bootstrap-blocks.ts";
import { compareResults } from "../../src/load/compare-results.ts";
import { runInterleaved } from "../../src/load/run-interleaved.ts";
import { profileResult, resultOf, type Shape } from "./result-fixture.ts";

const compare = (base: Shape, next: Shape, resamples = 1000): CompareResult =>
  compareResults(resultOf([profileResult(base)]), resultOf([profileResult(next)]), { resamples });

function conformance(verdicts: Readonly<Record<string, string>>): ConformanceResult {
  return {
    requirements: Object.entries(verdicts).map(([id, verdict]) => ({ id, verdict, reason: null })),
  } as unknown as ConformanceResult;
}

describe("compareResults", () => {
  it("finds no change between equal targets, nearly always", () => {
    const alarms = Array.from({ length: 12 }, (_, trial) => compare({ seed: 100 + trial }, { seed: 500 + trial }, 600)).filter(
      ({ verdict }) => verdict !== "no detectable change",
    );
    expect(alarms.length).toBeLessThanOrEqual(1);
  });

  it("finds a slowdown of 40 %, with its size inside the interval, and fails the gate", () => {
    const result = compare({ seed: 1 }, { seed: 2, factor: 1.4 }, 4000);
    expect([result.verdict, result.exitCode]).toEqual(["worse", 1]);
    const median = result.metrics.find(({ metric, statistic }) => metric === "user-latency" && statistic === "p50");
    expect(median?.verdict).toBe("worse");
    expect(median?.relative?.low).toBeLessThan(0.4);
    expect(median?.relative?.high).toBeGreaterThan(0.4);
    expect(median?.minimumDetectableEffect).toBeGreaterThan(0.05);
    expect(median?.minimumDetectableEffect).toBeLessThan(0.5);
  });

  it("shows the shift of a whole distribution, its band around the true factor", () => {
    const { shifts } = compare({ seed: 1 }, { seed: 2, factor: 1.4 }, 1000);
    const quantiles = shifts.find(({ metric }) => metric === "user-latency")?.quantiles ?? [];
    expect(quantiles.map(({ percentile }) => percentile).slice(0, 5)).toEqual([10, 25, 50, 75, 90]);
    for (const { base, next, relative } of quantiles.slice(0, 5)) {
      expect(relative.value).toBeCloseTo(next / base - 1, 6);
      expect(relative.low).toBeLessThan(0.4);
      expect(relative.high).toBeGreaterThan(0.4);
    }
  });

  it("finds an improvement and a collapse: errors make latencies no better", () => {
    expect(compare({ seed: 1 }, { seed: 2, factor: 0.6 })).toMatchObject({ verdict: "better", exitCode: 0 });
    const collapse = compare({ seed: 1 }, { seed: 2, errors: 0.6, factor: 0.9 });
    expect(collapse.exitCode).toBe(1);
    expect(collapse.metrics.find(({ metric }) => metric === "good-fraction")?.verdict).toBe("worse");
  });

  it("does not call a difference below the minimum effect one", () => {
    const [base, next] = [
      resultOf([profileResult({ seed: 3, seconds: 30 })]),
      resultOf([profileResult({ seed: 3, seconds: 30, factor: 1.03 })]),
    ];
    const tiny = compareResults(base, next, { resamples: 500, minimumEffect: 0.05 });
    expect(tiny.verdict).toBe("no detectable change");
  });

  it("does not blame the target for a difference within the error of the instrument", () => {
    const error = (p99: number): object => ({ p50: p99 / 10, p99, samples: 100 });
    const calibration = (p99: number): CalibrationResult =>
      ({ ttftErrorMs: error(p99), eventErrorMs: error(p99), interTokenErrorMs: error(p99) }) as unknown as CalibrationResult;
    const slower = (p99: number): CompareResult =>
      compareResults(
        resultOf([profileResult({ seed: 1 })], { load: { profiles: [profileResult({ seed: 1 })], calibration: calibration(1) } }),
        resultOf([], { load: { profiles: [profileResult({ seed: 2, factor: 1.4 })], calibration: calibration(p99) } }),
        { resamples: 500 },
      );
    expect(slower(1).verdict).toBe("worse");
    const noisy = slower(400);
    expect(noisy.metrics.filter(({ unit, verdict }) => unit === "ms" && verdict === "worse")).toEqual([]);
    expect(noisy.metrics.some(({ reason }) => reason?.includes("error of the instrument"))).toBe(true);
  });

  it("leaves tails out that live in too few blocks", () => {
    const statistics = compare({ seed: 1, seconds: 7, perSecond: 80 }, { seed: 2, seconds: 7, perSecond: 80 }, 200).metrics.map(
      ({ statistic }) => statistic,
    );
    expect(statistics).toContain("p50");
    expect(statistics).not.toContain("p99");
  });

  it("is the same for the same seed", () => {
    expect(JSON.stringify(compare({ seed: 1 }, { seed: 2 }, 200))).toBe(JSON.stringify(compare({ seed: 1 }, { seed: 2 }, 200)));
  });

  it("refuses what is not comparable and says why", () => {
    const base = resultOf([profileResult({ seed: 1, seconds: 10 })]);
    const other = resultOf([profileResult({ seed: 1, seconds: 10 })], { spec: { title: "s", sha256: "other" } });
    expect(compareResults(base, other)).toMatchObject({ verdict: "not comparable", exitCode: 3, metrics: [] });
    const faster = compareResults(base, resultOf([profileResult({ seed: 1, seconds: 10, perSecond: 30 })]));
    expect(faster.exitCode).toBe(3);
    expect(faster.reason).toContain("the arrivals differ");
    const invalid = { ...profileResult({ seed: 1, seconds: 10 }), validity: { valid: false, reasons: ["generator-limited"] } };
    expect(compareResults(base, resultOf([invalid])).reason).toContain("generator-limited");
    expect(compareResults(resultOf([]), resultOf([])).exitCode).toBe(3);
  });

  it("says when there is too little to compare", () => {
    const short = compare({ seed: 1, seconds: 3 }, { seed: 2, seconds: 3 });
    expect(short.notCompared[0]?.reason).toContain("too short");
  });

  it("counts a requirement that fails anew as worse and one that stopped failing as better", () => {
    const base = resultOf([], { conformance: conformance({ A: "pass", B: "fail", C: "pass" }) });
    const next = (verdicts: Readonly<Record<string, string>>): CompareResult =>
      compareResults(base, resultOf([], { conformance: conformance(verdicts) }));
    expect(next({ A: "fail", B: "pass", C: "untested" })).toMatchObject({
      verdict: "worse",
      exitCode: 1,
      conformance: { broken: [{ id: "A" }], fixed: [{ id: "B" }], changed: [{ id: "C" }], unchanged: 0 },
    });
    expect(next({ A: "pass", B: "pass", C: "pass" })).toMatchObject({ verdict: "better", exitCode: 0 });
    expect(next({ A: "pass", B: "fail", C: "pass" })).toMatchObject({ verdict: "no detectable change", exitCode: 0 });
  });
});

describe("interleaved runs", () => {
  it("alternate A B B A, keep whole pairs, and cancel a drift that hits both sides", async () => {
    const order: string[] = [];
    const measured = await runInterleaved({
      rounds: 6,
      run: (side, round) => {
        order.push(side);
        // The machine gets slower by the round; both sides alike.
        return Promise.resolve(
          profileResult({ seed: 10 * round + (side === "base" ? 1 : 2), seconds: 5, factor: 1 + 0.3 * round }),
        );
      },
    });
    expect(order.slice(0, 4)).toEqual(["base", "next", "next", "base"]);
    const result = compareResults(resultOf(measured.base), resultOf(measured.next), { design: "interleaved", resamples: 600 });
    expect(result.comparability.comparable).toBe(true);
    expect(result.verdict).toBe("no detectable change");
    expect(result.metrics[0]?.blocks).toEqual([60, 60]);
  });

  it("drops a pair that was interrupted", async () => {
    const controller = new AbortController();
    const measured = await runInterleaved({
      rounds: 5,
      signal: controller.signal,
      run: (_, round) => {
        if (round === 2) controller.abort();
        return Promise.resolve(profileResult({ seed: round, seconds: 5 }));
      },
    });
    expect([measured.base.length, measured.next.length]).toEqual([2, 2]);
  });
});

describe("normalQuantile", () => {
  it.each([
    [0.5, 0],
    [0.975, 1.959963985],
    [0.8, 0.841621234],
    [0.001, -3.090232306],
  ])("of %d is %d", (p, z) => {
    expect(normalQuantile(p)).toBeCloseTo(z, 7);
  });
});
