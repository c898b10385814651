import { assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { checkRequests } from "../../../src/limits/requests/request-checks.ts";
import { viewGroup } from "../../../src/limits/history/group-view.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import { families } from "../../../src/limits/identify/identify.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import { recordAnswers } from "../brute-force/record-answers.ts";
import type { ModelOptions } from "../brute-force/limiter-model.ts";
import { schedules, type Schedule, type ScheduleBounds } from "../brute-force/lawful-history.ts";
import { runsOf } from "../../make/runner/sample.ts";
import { simulatedManifest } from "../simulation/exam.ts";

/** Checks that fail, before the verifier has a say: the search itself must be sound. */
function accusations(schedule: Schedule, exchanges: readonly Exchange[]): readonly string[] {
  const { limit, windowMs } = schedule.options;
  const tolerances = { ...defaultTolerances, windowMs };
  const history = readHistory(exchanges, tolerances);
  const manifest = { ...simulatedManifest(limit), control: null };
  return [...history.groups].flatMap(([id, members]) => {
    const view = viewGroup(id, members, { manifest, history, tolerances, strict: false, burst: new Map() });
    return checkRequests(view, limit)
      .filter(({ verdict }) => verdict === "fail")
      .map(({ id: check, message }) => `${check}: ${message}`);
  });
}

const few: Omit<ScheduleBounds, "families" | "windowMs" | "grids"> = {
  maxSteps: 14,
  limits: [1, 2, 3, 4, 5, 6],
  bursts: [1],
  maxGap: 6,
  maxSpan: 6,
  skews: [0, 0, 150, 200],
  strange: true,
};
/** Gaps of more than a window, after which some limiters begin their windows anew. */
const idle = { ...few, maxGap: 40 };
const crowded = { ...few, limits: [5, 12, 20, 40, 60], bursts: [1, 1, 2, 5, 12, 30] };

describe("certificates that need no family accuse no lawful limiter", () => {
  const cases = ([3_000, 60_000] as const).flatMap((windowMs) => [
    [windowMs, "few requests", few, 200] as const,
    [windowMs, "idle windows", idle, 100] as const,
    [windowMs, "bursts", crowded, 100] as const,
  ]);
  it.each(cases)("window of %i ms, %s", (windowMs, _title, bounds, numRuns) => {
    const grids = windowMs < 10_000 ? [20, 100, 500] : [20, 100, 500, 1000, 5000, 10_000];
    for (const { id } of families) {
      assert(
        property(schedules({ ...bounds, windowMs, grids, families: [id] }), (schedule) => {
          expect(accusations(schedule, recordAnswers(schedule))).toEqual([]);
        }),
        { numRuns: runsOf(numRuns) },
      );
    }
  });

  // Found by the property above before they were mended.
  const one = { gap: 0, span: 0, times: 1, decided: 0, read: 0, kind: "plain", counted: false, instance: 0 } as const;
  const options: ModelOptions = {
    family: "sliding-counter",
    limit: 4,
    windowMs: 60_000,
    countsRejects: false,
    label: 0,
    phaseMs: 0,
    capacity: 4,
    startLevel: 4,
    batchMs: 0,
    stepMs: 1,
    weigh: "floor",
    restarts: false,
  };
  const calm: Omit<Schedule, "steps" | "options" | "gridMs"> = {
    lateRead: false,
    before: 0,
    rounding: 1,
    skewMs: 0,
    limiterAheadMs: 0,
    epochShiftMs: 0,
    roundReset: "ceil",
  };
  const gaps = (...steps: readonly number[]): Schedule["steps"] => steps.map((gap) => ({ ...one, gap }));
  const found: readonly (readonly [string, Schedule])[] = [
    [
      "a sliding counter that still weighs the window before after its label",
      {
        ...calm,
        gridMs: 5000,
        epochShiftMs: 28_000,
        options: { ...options, limit: 1 },
        steps: [...gaps(2, 2, 4), { ...one, gap: 5, kind: "free", counted: true }, ...gaps(1, 5)],
      },
    ],
    [
      "a sliding counter whose weight fades while requests come in",
      { ...calm, before: 1, gridMs: 5000, epochShiftMs: 20_000, options, steps: gaps(2, 5, 1, 1, 6, 0) },
    ],
    [
      "late readers of the next window beside an instance whose clock lags",
      {
        ...calm,
        lateRead: true,
        skewMs: 200,
        gridMs: 10_000,
        options: { ...options, family: "fixed-from-first", limit: 5 },
        steps: [one, { ...one, gap: 6, span: 1, times: 30, read: 1, instance: -1 }, { ...one, times: 12 }, one],
      },
    ],
    [
      "late readers that share the label of a bucket refilled in batches",
      {
        ...calm,
        lateRead: true,
        gridMs: 1000,
        epochShiftMs: 1000,
        options: { ...options, family: "batch-refill", limit: 12, startLevel: 2, batchMs: 6000 },
        steps: [
          { ...one, gap: 2, span: 4, times: 30, read: 4 },
          { ...one, gap: 3 },
          { ...one, gap: 5, span: 2, decided: 2 },
          one,
        ],
      },
    ],
    [
      "a weight that two instances see at different moments",
      {
        ...calm,
        skewMs: 150,
        gridMs: 100,
        epochShiftMs: 43_000,
        options: { ...options, limit: 60, windowMs: 3000 },
        steps: [
          { ...one, times: 60 },
          ...gaps(3, 6, 5),
          { ...one, gap: 6, span: 1, decided: 3, instance: 1 },
          { ...one, gap: 1 },
          { ...one, gap: 2, instance: -1 },
        ],
      },
    ],
  ];
  it.each(found)("of %s", (_title, schedule) => {
    expect(accusations(schedule, recordAnswers(schedule))).toEqual([]);
  });
});
