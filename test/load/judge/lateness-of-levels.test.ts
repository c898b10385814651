import { describe, expect, it } from "vitest";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult } from "../../make/results/make-load-result.ts";
import { makeSeconds } from "../../make/results/make-seconds.ts";

const secondsPerLevel = 30;
const sweep = { kind: "sweep", ratesPerSecond: [10, 20], secondsPerRate: secondsPerLevel };
const search = { kind: "capacity-search", of: "rate", from: 10, to: 20, maxRequests: 10_000 };

interface Levels {
  readonly arrivals: object;
  readonly gates?: readonly string[];
  readonly slo?: object;
  /** One trial after the other: its rate, and the time to first token of all its requests as it was read. */
  readonly trials: readonly (readonly [rate: number, ttftMs: number])[];
  readonly loopDelayMs: number;
}

function judge({ arrivals, gates = [], slo, trials, loopDelayMs }: Levels): LoadProfileResult {
  const file = { id: "p", title: "P", arrivals, workload: [{ endpoint: "chat" }], gates, ...(slo !== undefined && { slo }) };
  const profile = readProfile(JSON.stringify(file), "p");
  const records = trials.flatMap(([rate, ttftMs], step) =>
    Array.from({ length: rate * secondsPerLevel }, (_, index): LoadRecord => {
      const sentMs = 1000 * (step * secondsPerLevel + index / rate);
      const endMs = sentMs + ttftMs + 50;
      const isMissed = ttftMs > 300;
      return {
        ...givenUpRecord({ ...context, slo: profile.slo, step, intendedMs: sentMs, issuedMs: sentMs }, sentMs),
        status: 200,
        outcome: "ok",
        good: !isMissed,
        firstByteMs: sentMs + ttftMs,
        firstTokenMs: sentMs + ttftMs,
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
  return makeLoadResult(profile, records, { seconds, rates, lengthsMs, toMs: endMs, endMs });
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
