import { describe, expect, it } from "vitest";
import type { CompareResult } from "../../../../src/core/result/compare-result.ts";
import type { CalibrationResult } from "../../../../src/core/result/generator-health.ts";
import type { GateResult } from "../../../../src/core/result/gate-result.ts";
import type { LoadBlocks } from "../../../../src/core/result/load-figures.ts";
import type { LoadProfileResult } from "../../../../src/core/result/load-result.ts";
import type { ConformanceResult } from "../../../../src/core/result/conformance-result.ts";
import type { Result } from "../../../../src/core/result/result.ts";
import { normalQuantile } from "../../../../src/load/statistics/bootstrap-blocks.ts";
import { compareResults } from "../../../../src/features/compare/runs/compare-results.ts";
import { profileResult, resultOf, type Shape } from "../../../make/results/result-fixture.ts";
import { takeTurns } from "../../../../src/features/compare/live/measure-in-turns.ts";

const compare = (base: Shape, next: Shape, resamples = 1000): CompareResult =>
  compareResults(resultOf([profileResult(base)]), resultOf([profileResult(next)]), { resamples });

function conformance(verdicts: Readonly<Record<string, string>>): ConformanceResult {
  return {
    requirements: Object.entries(verdicts).map(([id, verdict]) => ({ id, verdict, reason: null })),
  } as unknown as ConformanceResult;
}

function firstBlocks(blocks: LoadBlocks | null, number: number): LoadBlocks | null {
  if (blocks === null) return null;
  const [attempted, ok, good, outputTokens] = [blocks.attempted, blocks.ok, blocks.good, blocks.outputTokens].map((each) =>
    each.slice(0, number),
  ) as [number[], number[], number[], number[]];
  const metrics = blocks.metrics.map((metric) => ({ ...metric, counts: metric.counts.slice(0, number) }));
  return { ...blocks, attempted, ok, good, outputTokens, metrics };
}

describe("compareResults", () => {
  it("finds no change between equal targets, nearly always", () => {
    const alarms = Array.from({ length: 12 }, (_, trial) => compare({ seed: 100 + trial }, { seed: 500 + trial }, 600)).filter(
      ({ verdict }) => verdict !== "no detectable change",
    );
    expect(alarms.length).toBeLessThanOrEqual(1);
  });

  it("counts a gate that one run happens to leave open as judged, so long as the figure itself is compared", () => {
    const base = profileResult({ seed: 1 });
    const gated = (verdict: "pass" | "inconclusive", change: Partial<GateResult> = {}): Result => {
      const doubt = verdict === "pass" ? {} : { doubt: "too-few" as const };
      return resultOf([{ ...base, gates: base.gates.map((gate) => ({ ...gate, observed: 250, verdict, ...doubt, ...change })) }]);
    };
    const after = (next: Result): CompareResult => compareResults(gated("pass"), next, { resamples: 200 });
    const open = after(gated("inconclusive"));
    expect([open.verdict, open.lostCoverage, open.gates.changed.length]).toEqual(["no detectable change", [], 1]);
    // Nobody compared these, or nothing was measured at all.
    const changes: readonly Partial<GateResult>[] = [
      { id: "longest_stall.p95" },
      { id: "limits.violations" },
      { observed: null },
      { doubt: "instrument" },
    ];
    expect(changes.map((change) => after(gated("inconclusive", change)).verdict)).toEqual(changes.map(() => "judges less"));
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

  it("blames nobody for a change of times while the error of the instrument is not known, and does not call it none", () => {
    const profiles = [profileResult({ seed: 1 })];
    const known = resultOf(profiles);
    const unknown = (factor: number): Result =>
      resultOf([], {
        load: { profiles: [profileResult({ seed: 2, factor })], calibration: null, uncalibrated: "the calibration failed" },
      });
    for (const [base, next] of [
      [known, unknown(1.4)],
      [unknown(1.4), known],
      [known, unknown(0.6)],
    ] as const) {
      const changed = compareResults(base, next, { resamples: 500 });
      expect(changed).toMatchObject({ verdict: "not comparable", exitCode: 3 });
      expect(changed.reason).toContain("the error of the instrument is not known of both runs");
      const median = changed.metrics.find(({ metric, statistic }) => metric === "user-latency" && statistic === "p50");
      expect(median?.verdict).toBe("instrument unknown");
    }
    expect(compareResults(known, unknown(1), { resamples: 500 }).exitCode).toBe(0);
    // A rate rests on counts.
    const failing = { profiles: [profileResult({ seed: 2, errors: 0.6 })], calibration: null };
    expect(compareResults(known, resultOf([], { load: failing }), { resamples: 500 }).exitCode).toBe(1);
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

  it("compares loads by their content: another name is no matter, and a member that differs is named", () => {
    const load = (id: string, digest: string, slo: string): Result =>
      resultOf([{ ...profileResult({ seed: 1, seconds: 10 }), id, content: { digest, members: { slo, workload: "w" } } }]);
    const base = load("flags-1", "d1", "s1");
    const named = compareResults(base, load("mine", "d1", "s1"), { resamples: 200 });
    expect([named.verdict, named.notCompared]).toEqual(["no detectable change", []]);
    expect(named.metrics.length).toBeGreaterThan(0);
    const other = compareResults(base, load("flags-1", "d2", "s2"), { resamples: 200 });
    expect(other).toMatchObject({ verdict: "not comparable", exitCode: 3, metrics: [] });
    expect(other.reason).toContain("flags-1: the content of the profile differs in slo (d1 and d2)");
    const apart = compareResults(base, load("mine", "d2", "s2"), { resamples: 200 });
    expect(apart.notCompared.map(({ profile }) => profile)).toEqual(["flags-1", "mine"]);
  });

  it("says when there is too little to compare", () => {
    const short = compare({ seed: 1, seconds: 3 }, { seed: 2, seconds: 3 });
    expect(short.notCompared[0]?.reason).toContain("too short");
    expect(short).toMatchObject({ verdict: "not comparable", exitCode: 3, metrics: [] });
    expect(short.reason).toContain("too few samples to compare the load: the measured window was too short");
    // Blocks enough to be cut, not enough to know their own spread.
    const sparse = { ...profileResult({ seed: 1, seconds: 5 }) };
    const cut = (profile: typeof sparse): typeof sparse => ({ ...profile, blocks: firstBlocks(profile.blocks, 5) });
    const few = compareResults(resultOf([cut(sparse)]), resultOf([cut(profileResult({ seed: 2, seconds: 5, factor: 1.2 }))]));
    expect(new Set(few.metrics.map(({ verdict }) => verdict))).toEqual(new Set(["too few"]));
    expect(few).toMatchObject({ verdict: "not comparable", exitCode: 3 });
    expect(few.reason).toBe("too few samples to compare the load: 5 blocks of time hold samples; 8 are needed");
    // Requirements that are proven all the same stay proven.
    const withRow = (verdict: string): Result =>
      resultOf([profileResult({ seed: 1, seconds: 3 })], { conformance: conformance({ A: verdict }) });
    expect(compareResults(withRow("pass"), withRow("fail"))).toMatchObject({ verdict: "worse", exitCode: 1 });
    expect(compareResults(withRow("pass"), withRow("pass")).exitCode).toBe(3);
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

  it("calls no change where a bound of its interval is not a number", () => {
    // Four blocks of many hold samples: some resamples hold none, and their median is NaN.
    const thin = (factor: number): Result => {
      const profile = profileResult({ seed: 1, seconds: 30, factor });
      const metrics = (profile.blocks?.metrics ?? []).map((metric) => ({
        ...metric,
        counts: Array.from({ length: 120 }, (_, index) => (index < 4 ? (metric.counts[index] ?? []) : [])),
      }));
      return resultOf([{ ...profile, blocks: profile.blocks === null ? null : { ...profile.blocks, metrics } }]);
    };
    const result = compareResults(thin(1), thin(1.4), { resamples: 4000 });
    const median = result.metrics.find(({ metric, statistic }) => metric === "user-latency" && statistic === "p50");
    expect(Number.isNaN(median?.difference.high)).toBe(true);
    expect(median?.verdict).toBe("too few");
    expect(result.metrics.filter(({ verdict }) => verdict === "worse")).toEqual([]);
  });

  it("reports what the newer run no longer judges, and not what never arose", () => {
    const withRows = (verdicts: Readonly<Record<string, string>>): Result => resultOf([], { conformance: conformance(verdicts) });
    const base = withRows({ A: "pass", B: "pass", C: "pass", D: "observed", E: "untested" });
    const less = compareResults(
      base,
      withRows({ A: "pass", B: "untested", C: "inconclusive", D: "inconclusive", E: "untested" }),
    );
    expect(less.lostCoverage.map(({ id }) => id)).toEqual(["B", "C"]);
    expect(less).toMatchObject({ verdict: "judges less", exitCode: 3 });
    expect(less.reason).toBe("2 that the base run judged were not judged (B, C)");
    const load = resultOf([profileResult({ seed: 1 })]);
    expect(compareResults({ ...base, load: load.load }, load).lostCoverage.map(({ id }) => id)).toEqual(["A", "B", "C", "D"]);
  });
});

describe("interleaved runs", () => {
  it("alternate A B B A, keep whole pairs, and cancel a drift that hits both sides", async () => {
    const order: string[] = [];
    const measured = await takeTurns({
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

  it("tell a gate by what most rounds say, not by the last", () => {
    const rounds = (...factors: readonly number[]): Result =>
      resultOf(factors.map((factor, round) => profileResult({ seed: 40 + round, seconds: 30, perSecond: 80, factor })));
    const gatesOf = (base: Result, next: Result): CompareResult["gates"] =>
      compareResults(base, next, { design: "interleaved", resamples: 200 }).gates;
    expect(gatesOf(rounds(1, 1, 1, 1), rounds(1, 1, 1, 9))).toMatchObject({ broken: [], unchanged: 1 });
    expect(gatesOf(rounds(1, 1, 1, 1), rounds(9, 9, 9, 1))).toMatchObject({ broken: [{ base: "pass", next: "fail" }] });
    expect(gatesOf(rounds(1, 1, 1, 1), rounds(1, 9, 1, 9))).toMatchObject({
      broken: [],
      changed: [{ next: "inconclusive", message: "the rounds do not agree" }],
    });
  });

  describe("with a generator that was late", () => {
    const round = (seed: number, because: string | null = null): LoadProfileResult => ({
      ...profileResult({ seed, seconds: 5 }),
      ...(because === null
        ? {}
        : {
            validity: { valid: false, reasons: [because], generatorLimited: because.startsWith("generator-limited") },
          }),
    });
    const judged = (base: readonly LoadProfileResult[], next: readonly LoadProfileResult[]): CompareResult =>
      compareResults(resultOf(base), resultOf(next), { design: "interleaved", resamples: 300 });

    it("leave that round out with its partner, and say so", () => {
      const late = "generator-limited: sends left 80.0 ms late";
      const result = judged([round(1), round(3), round(5), round(7)], [round(2), round(4, late), round(6), round(8)]);
      expect(result.metrics[0]?.blocks).toEqual([30, 30]);
      expect(result).toMatchObject({ verdict: "no detectable change", exitCode: 0 });
      expect(result.comparability.checks.find(({ id }) => id === "both-valid")).toMatchObject({
        outcome: "differs",
        blocking: false,
        message: `p: round 2 is left out: ${late}`,
      });
    });

    it("are not judged by fewer than half of the rounds, nor without rounds that ended early", () => {
      const late = "generator-limited: late";
      const most = judged([round(1, late), round(3, late), round(5, late), round(7)], [round(2), round(4), round(6), round(8)]);
      expect(most).toMatchObject({ verdict: "not comparable", exitCode: 3 });
      // An error storm may be the target's doing.
      const storm = "ended early: error storm: 20 of 20";
      const ended = judged([round(1), round(3), round(5)], [round(2), round(4, storm), round(6)]);
      expect(ended).toMatchObject({ verdict: "not comparable", exitCode: 3 });
      // Two runs that were not interleaved have no partners.
      const alone = compareResults(resultOf([round(1), round(3), round(5)]), resultOf([round(2, late), round(4), round(6)]));
      expect(alone.exitCode).toBe(3);
    });
  });

  it("drops a pair that was interrupted", async () => {
    const controller = new AbortController();
    const measured = await takeTurns({
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
