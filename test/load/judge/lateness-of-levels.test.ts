import { describe, expect, it } from "vitest";
import type { InstrumentAccuracy } from "../../../src/core/result/generator-health.ts";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { calibrated } from "../../make/load/calibrated.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult } from "../../make/results/make-load-result.ts";
import { makeSeconds } from "../../make/results/make-seconds.ts";

const secondsPerLevel = 15;
const sweep = { kind: "sweep", ratesPerSecond: [10, 20], secondsPerRate: secondsPerLevel };
const search = { kind: "capacity-search", of: "rate", from: 10, to: 20, maxRequests: 10_000 };

interface Levels {
  readonly arrivals: object;
  readonly gates?: readonly string[];
  readonly slo?: object;
  /** One trial after the other: its rate, and the time to first token of all its requests as it was read. */
  readonly trials: readonly (readonly [rate: number, ttftMs: number])[];
  readonly loopDelayMs: number;
  /** Trials of which each third request was refused, with status 503. */
  readonly refused?: readonly number[];
  readonly accuracy?: InstrumentAccuracy;
}

function judge({ arrivals, gates = [], slo, trials, loopDelayMs, refused = [], accuracy }: Levels): LoadProfileResult {
  const file = { id: "p", title: "P", arrivals, workload: [{ endpoint: "chat" }], gates, ...(slo !== undefined && { slo }) };
  const profile = readProfile(JSON.stringify(file), "p");
  const records = trials.flatMap(([rate, ttftMs], step) =>
    Array.from({ length: rate * secondsPerLevel }, (_, index): LoadRecord => {
      const sentMs = 1000 * (step * secondsPerLevel + index / rate);
      const endMs = sentMs + ttftMs + 50;
      const isRefused = refused.includes(step) && index % 3 === 0;
      const isMissed = ttftMs > 300 || isRefused;
      return {
        ...givenUpRecord({ ...context, slo: profile.slo, step, intendedMs: sentMs, issuedMs: sentMs }, sentMs),
        status: isRefused ? 503 : 200,
        outcome: isRefused ? "server-error" : "ok",
        good: !isMissed,
        firstByteMs: sentMs + ttftMs,
        firstTokenMs: isRefused ? null : sentMs + ttftMs,
        answeredMs: endMs,
        endMs,
        stream: { done: true, finished: true, broken: false, continuousUsage: false },
      };
    }),
  );
  const endMs = 1000 * secondsPerLevel * trials.length;
  const seconds = makeSeconds(endMs / 1000 + 1, 10, () => loopDelayMs);
  const rates = trials.map(([rate]) => rate);
  const lengthsMs = trials.map(() => 1000 * secondsPerLevel);
  return makeLoadResult(profile, records, { seconds, rates, lengthsMs, toMs: endMs, endMs, ...accuracy });
}

const verdictsOf = ({ steps }: LoadProfileResult): readonly string[] => steps.map(({ verdict }) => verdict);

describe("a level of a search that a late machine can have turned", () => {
  const slo = { ttftMs: 300 };

  it("is not judged, with the reason, where its margin is smaller than the delays", () => {
    const trials = [
      [10, 100],
      [20, 330],
    ] as const;
    const late = judge({ arrivals: sweep, slo, trials, loopDelayMs: 90 });
    expect(verdictsOf(late)).toEqual(["pass", "inconclusive"]);
    expect(late.steps[1]).toMatchObject({ limitedBy: "instrument", reason: expect.stringContaining("up to 90 ms late") });
    expect(late.knee?.reason).toContain("20/s is inconclusive: the event loop of this machine was up to 90 ms late");
    expect(verdictsOf(judge({ arrivals: sweep, slo, trials, loopDelayMs: 2 }))).toEqual(["pass", "fail"]);
  });

  it("fails where its margin is larger", () => {
    const trials = [
      [10, 100],
      [20, 500],
    ] as const;
    expect(verdictsOf(judge({ arrivals: sweep, slo, trials, loopDelayMs: 90 }))).toEqual(["pass", "fail"]);
  });

  it("makes no capacity that is lower than the truth fail a gate", () => {
    const gates = ["ttft.p95 < 300ms", "capacity >= 19"];
    const trials = [
      [10, 100],
      [20, 330],
      [12, 100],
      [13, 330],
      [12, 100],
      [13, 330],
    ] as const;
    const late = judge({ arrivals: search, gates, trials, loopDelayMs: 90 });
    expect(late.gates).toMatchObject([{ verdict: "inconclusive", doubt: "instrument" }]);
    expect(late.capacity?.reason).toContain("this machine was late");
    expect(verdictsOf(late)).toEqual(["pass", "inconclusive", "pass", "inconclusive", "pass", "inconclusive"]);
    const calm = judge({ arrivals: search, gates, trials, loopDelayMs: 2 });
    expect(calm.gates).toMatchObject([{ verdict: "fail" }]);
    expect(calm.capacity?.reason).not.toContain("late");
  });
});

it("a level is not judged by good answers that a stall of this machine can have cost, in a search for capacity either", () => {
  const trials = [
    [10, 100],
    [20, 100],
    [12, 100],
    [13, 100],
    [12, 100],
    [13, 100],
  ] as const;
  const refused = [1, 3, 5];
  const slo = { ttftMs: 300 };
  const gates = ["capacity >= 19"];
  const stalled = judge({ arrivals: search, gates, slo, trials, refused, loopDelayMs: 150 });
  expect(verdictsOf(stalled)).toEqual(["pass", "inconclusive", "pass", "inconclusive", "pass", "inconclusive"]);
  expect(stalled.gates).toMatchObject([{ verdict: "inconclusive" }]);
  const calm = judge({ arrivals: search, gates, slo, trials, refused, loopDelayMs: 2 });
  expect(verdictsOf(calm)).toEqual(["pass", "fail", "pass", "fail", "pass", "fail"]);
  expect(calm.gates).toMatchObject([{ verdict: "fail" }]);
});

const uncalibrated: InstrumentAccuracy = { calibration: null, uncalibrated: "the calibration of this machine failed: busy" };

describe("a level of a search that the error of the calibration can have turned", () => {
  const slo = { ttftMs: 300 };
  const close = [
    [10, 280],
    [20, 330],
  ] as const;

  it("is not judged, with the reason, where its margin is smaller than that error", () => {
    const coarse = judge({ arrivals: sweep, slo, trials: close, loopDelayMs: 2, accuracy: calibrated(40) });
    expect(verdictsOf(coarse)).toEqual(["inconclusive", "inconclusive"]);
    expect(coarse.steps[1]).toMatchObject({
      limitedBy: "instrument",
      reason: expect.stringContaining("up to 40 ms off in the calibration"),
    });
    const between = judge({ arrivals: sweep, slo, trials: close, loopDelayMs: 2, accuracy: calibrated(25) });
    expect(verdictsOf(between)).toEqual(["inconclusive", "fail"]);
  });

  it("is judged where its margin is larger, and by the tail of the error only where a gate is of the tail", () => {
    const fine = judge({ arrivals: sweep, slo, trials: close, loopDelayMs: 2, accuracy: calibrated(5, 90) });
    expect(verdictsOf(fine)).toEqual(["pass", "fail"]);
    const gates = ["ttft.p99 < 300ms"];
    const ofTail = judge({ arrivals: search, gates, trials: close, loopDelayMs: 2, accuracy: calibrated(5, 90) });
    expect(verdictsOf(ofTail)).toEqual(["inconclusive", "inconclusive"]);
  });

  it("is open where the calibration failed, unless no time decides it", () => {
    const unknown = judge({ arrivals: sweep, slo, trials: close, loopDelayMs: 2, accuracy: uncalibrated });
    expect(verdictsOf(unknown)).toEqual(["inconclusive", "inconclusive"]);
    expect(unknown.steps[0]?.reason).toContain("failed: busy, so that nobody knows whether its error could have turned");
    const gates = ["error_rate < 5%", "capacity >= 15"];
    const ofErrors = judge({ arrivals: search, gates, trials: close, loopDelayMs: 2, accuracy: uncalibrated });
    expect(verdictsOf(ofErrors)).toEqual(["pass", "pass"]);
    expect(ofErrors.gates).toMatchObject([{ verdict: "pass" }]);
  });

  it("decides no gate on the capacity that it could have turned, and the others stand", () => {
    const trials = [
      [10, 100],
      [20, 330],
      [12, 100],
      [13, 330],
      [12, 100],
      [13, 330],
    ] as const;
    const gates = ["ttft.p95 < 300ms", "capacity >= 19", "capacity >= 9"];
    const judged = (accuracy: InstrumentAccuracy): readonly unknown[] =>
      judge({ arrivals: search, gates, trials, loopDelayMs: 2, accuracy }).gates.map(({ verdict, doubt }) => [verdict, doubt]);
    expect(judged(calibrated(5))).toEqual([
      ["fail", undefined],
      ["pass", undefined],
    ]);
    expect(judged(calibrated(40))).toEqual([
      ["inconclusive", "instrument"],
      ["pass", undefined],
    ]);
    expect(judged(uncalibrated)).toEqual([
      ["inconclusive", "instrument"],
      ["inconclusive", "instrument"],
    ]);
  });
});
