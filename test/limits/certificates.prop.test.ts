import { assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange.ts";
import { checkRequests } from "../../src/limits/checks/request-checks.ts";
import { viewGroup } from "../../src/limits/group-view.ts";
import { readHistory } from "../../src/limits/history.ts";
import { families } from "../../src/limits/identify.ts";
import { defaultTolerances } from "../../src/limits/tolerances.ts";
import { recordAnswers } from "./brute-force/record-answers.ts";
import { schedules, type Schedule, type ScheduleBounds } from "./brute-force/lawful-history.ts";
import { simulatedManifest } from "./simulation/exam.ts";

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

const bounds: Omit<ScheduleBounds, "families" | "windowMs" | "grids"> = {
  maxSteps: Number(process.env["STEPS"] ?? 14),
  limits: process.env["BIG"] ? [5, 12, 20, 40, 60] : [1, 2, 3, 4, 5, 6],
  bursts: process.env["BIG"] ? [1, 1, 2, 5, 12, 30] : [1],
  maxGap: 6,
  maxSpan: 6,
  skews: [0, 0, 150, 200],
  strange: true,
};
const runs = Number(process.env["RUNS"] ?? 1000);

describe("family-free certificates never accuse a lawful limiter", () => {
  const cases = families.flatMap(({ id }) => [3_000, 60_000].map((windowMs) => [id, windowMs] as const));
  it.each(cases)("%s, window of %i ms", (id, windowMs) => {
    const grids = windowMs < 10_000 ? [20, 100, 500] : [20, 100, 500, 1000, 5000, 10_000];
    assert(
      property(schedules({ ...bounds, windowMs, grids, families: [id as "fixed-window"] }), (schedule) => {
        const found = accusations(schedule, recordAnswers(schedule));
        expect(found.join("; ")).toBe("");
      }),
      { numRuns: runs },
    );
  });
});
