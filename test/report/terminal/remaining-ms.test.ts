import { describe, expect, it } from "vitest";
import type { PlannedPart, ProgressEvent } from "../../../src/core/progress.ts";
import { applyProgress, initialProgress, type ProgressState } from "../../../src/report/terminal/progress-state.ts";
import { remainingMs } from "../../../src/report/terminal/draw-progress.ts";

const started = (stage: "conformance" | "limits" | "load", etaMs: number | null, plannedRequests = 4): ProgressEvent => ({
  kind: "stage-started",
  stage,
  title: "",
  plannedRequests,
  etaMs,
});
const answered = (stage: "conformance" | "limits"): ProgressEvent => ({ kind: "answered", stage, status: 200, ttftMs: null });
const part = (stage: "conformance" | "limits" | "load", etaMs: number | null, plannedRequests = 4): PlannedPart => ({
  stage,
  plannedRequests,
  etaMs,
});

/** The state after events, each at its instant. */
function after(...events: readonly (readonly [atMs: number, event: ProgressEvent])[]): ProgressState {
  return events.reduce((state, [atMs, event]) => applyProgress(state, event, atMs), initialProgress(0));
}

describe("the time that a stage still takes", () => {
  it("is not known before a quarter of the requests was answered, unless the plan waits", () => {
    expect(remainingMs(after([0, started("conformance", null)]), 500).stageMs).toBeNull();
    expect(remainingMs(after([0, started("limits", 60_000)]), 10_000).stageMs).toBe(50_000);
  });

  it("is never shorter than what is left of the waits of the plan", () => {
    const state = after([0, started("conformance", 60_000)], [1000, answered("conformance")], [1000, answered("conformance")]);
    expect(remainingMs(state, 1000).stageMs).toBe(59_000);
  });

  it("is longer than the waits of the plan where the answers take longer", () => {
    const state = after([0, started("conformance", 2000)], [10_000, answered("conformance")]);
    expect(remainingMs(state, 10_000).stageMs).toBe(30_000);
  });

  it("is not known while more is sent than was planned: failures are asked for again", () => {
    const all = Array.from({ length: 5 }, (_, index) => [100 * index, answered("conformance")] as const);
    expect(remainingMs(after([0, started("conformance", null)], ...all), 600).stageMs).toBeNull();
  });

  it("goes by the requests where no wait takes time, once a quarter of them was answered", () => {
    const first = after([0, started("limits", null)]);
    expect(remainingMs(first, 100).stageMs).toBeNull();
    const one = applyProgress(first, answered("limits"), 100);
    expect(remainingMs(one, 100).stageMs).toBe(300);
  });
});

describe("the time that a run still takes", () => {
  const parts = [part("conformance", 0), part("limits", 120_000), part("load", 10_000), part("load", 20_000)];

  it("adds the parts that follow", () => {
    const planned = after(
      [0, { kind: "run-started", parts }],
      [0, started("conformance", null)],
      [2000, answered("conformance")],
    );
    expect(remainingMs(planned, 2000)).toEqual({ stageMs: 6000, runMs: 156_000 });
    const limits = applyProgress(planned, started("limits", 120_000), 6000);
    expect(remainingMs(limits, 6000)).toEqual({ stageMs: 120_000, runMs: 150_000 });
    const load = applyProgress(limits, started("load", 10_000), 126_000);
    expect(remainingMs(load, 126_000)).toEqual({ stageMs: 10_000, runMs: 30_000 });
  });

  it("is that of the stage alone where the stage is the last", () => {
    const last = after(
      [0, { kind: "run-started", parts: parts.slice(2) }],
      [0, started("load", 10_000)],
      [10_000, started("load", 20_000)],
    );
    expect(remainingMs(last, 11_000)).toEqual({ stageMs: 19_000, runMs: null });
  });

  it("takes parts without a time of their own at the pace of what was sent", () => {
    const state = after(
      [0, { kind: "run-started", parts: [part("conformance", null), part("limits", null, 10)] }],
      [0, started("conformance", null)],
      [100, answered("conformance")],
      [200, answered("conformance")],
    );
    expect(remainingMs(state, 200)).toEqual({ stageMs: 200, runMs: 1200 });
  });
});
