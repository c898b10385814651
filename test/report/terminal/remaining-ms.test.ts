import { describe, expect, it } from "vitest";
import { countRequests } from "../../../src/conformance/plan/count-requests.ts";
import type { ProgressEvent } from "../../../src/core/progress.ts";
import { applyProgress, initialProgress, type ProgressState } from "../../../src/report/terminal/progress-state.ts";
import { remainingMs } from "../../../src/report/terminal/remaining-ms.ts";
import { allCases } from "../../../suites/all-cases.ts";

const started = (etaMs: number | null): ProgressEvent => ({
  kind: "stage-started",
  stage: "conformance",
  title: "",
  plannedRequests: 1,
  etaMs,
});
const advanced = (share: number | null): ProgressEvent => ({
  kind: "advanced",
  stage: "conformance",
  done: 1,
  total: 2,
  current: "",
  share,
});

/**
 * Cases eight at a time, each request as long as any other and none at once, which leaves long cases to the end: the instants at which they end, and what is done then.
 */
function simulateCases(requestMs: number): readonly { readonly atMs: number; readonly share: number }[] {
  const total = allCases.reduce((sum, one) => sum + countRequests(one), 0);
  const lanes = Array.from({ length: 8 }, () => 0);
  const ends = allCases.map((one) => {
    const lane = lanes.indexOf(Math.min(...lanes));
    lanes[lane] = lanes[lane]! + requestMs * countRequests(one);
    return { atMs: lanes[lane], requests: countRequests(one) };
  });
  let done = 0;
  return ends
    .toSorted((one, other) => one.atMs - other.atMs)
    .map(({ atMs, requests }) => ({ atMs, share: (done += requests) / total }));
}

describe("the time that a stage still takes", () => {
  it.each([{ requestMs: 5 }, { requestMs: 400 }])(
    "is right within a third of the whole from a quarter of the requests on, at $requestMs ms each",
    ({ requestMs }) => {
      const steps = simulateCases(requestMs);
      const wholeMs = Math.max(...steps.map(({ atMs }) => atMs));
      let state: ProgressState = applyProgress(initialProgress(0), started(null), 0);
      const errors: number[] = [];
      for (const { atMs, share } of steps) {
        state = applyProgress(state, advanced(share), atMs);
        const left = remainingMs(state, atMs);
        if (left !== null) errors.push(Math.abs(atMs + left - wholeMs) / wholeMs);
      }
      expect(errors.length).toBeGreaterThan(steps.length / 2);
      expect(Math.max(...errors)).toBeLessThan(1 / 3);
    },
  );

  it("is not known before anything is done, unless the plan knows it", () => {
    expect(remainingMs(applyProgress(initialProgress(0), started(null), 0), 500)).toBeNull();
    expect(remainingMs(applyProgress(initialProgress(0), started(60_000), 0), 10_000)).toBe(50_000);
  });

  it("is never shorter than what is left of the waits of the plan", () => {
    const state = applyProgress(applyProgress(initialProgress(0), started(60_000), 0), advanced(0.5), 1_000);
    expect(remainingMs(state, 1_000)).toBe(59_000);
  });

  it("begins anew with the repeats of what failed", () => {
    let state = applyProgress(initialProgress(0), started(null), 0);
    state = applyProgress(state, advanced(1), 10_000);
    state = applyProgress(state, advanced(0.5), 11_000);
    expect(remainingMs(state, 11_000)).toBe(1_000);
  });
});
