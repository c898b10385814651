import { describe, expect, it } from "vitest";
import type { CapacityResult, LoadStep } from "../../../src/core/result/load-result.ts";
import { createScreen } from "../../../src/report/terminal/screen.ts";
import { renderSummary } from "../../../src/report/terminal/summary.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";
import { resultOf } from "../../make/results/result-fixture.ts";

const template = makeLoadResult(makeProfile(20, 20, []), []);
const screen = createScreen({ stream: { isTTY: false, columns: 100, write: () => true }, env: {} });
const step: LoadStep = {
  offered: 5,
  achieved: 5,
  goodput: 0.2,
  userLatencyP95: null,
  ttftP95: null,
  verdict: "fail",
};
const lines = (change: object): string => {
  const profiles = [{ ...template, knee: null, steps: [step], ...change }];
  const summary = renderSummary(resultOf(profiles, { load: { profiles, calibration: null } }), screen);
  return summary.replaceAll(/\s+/g, " ");
};

describe("the terminal, of a search without a level that holds", () => {
  it("says so, and why it ended", () => {
    const capacity: CapacityResult = {
      of: "concurrency",
      trials: 2,
      requests: 85,
      value: null,
      low: null,
      high: null,
      stop: "below",
      needed: null,
      reason: "capacity: none, ttft.p95 < 100ms is missed at the lowest level; 2 trials, 85 requests",
      limitedBy: "ttft.p95 < 100ms",
      curve: [],
    };
    expect(lines({ capacity })).toContain(
      "p: capacity: none, ttft.p95 < 100ms is missed at the lowest level; 2 trials, 85 requests",
    );
  });

  it("says it of a sweep, and nothing of one without a service level", () => {
    expect(lines({})).toContain("p: no level that was tried met the service level");
    expect(lines({ steps: [{ ...step, verdict: "observed" }] })).not.toContain("service level");
  });
});
