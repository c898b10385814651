import { assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import type { FamilyInput } from "../../src/limits/models/family.ts";
import { families } from "../../src/limits/identify.ts";
import { play, schedules, type Answer, type Schedule, type ScheduleBounds } from "./brute-force/lawful-history.ts";

const windowMs = 12_000;

function inputOf(schedule: Schedule, answers: readonly Answer[], fuzzMs: number): FamilyInput {
  return {
    ops: answers.map(({ seq, sentMs, headersMs, outcome, remaining }) => ({
      seq,
      sentMs,
      headersMs,
      outcome,
      remaining: outcome === "admitted" ? remaining : null,
    })),
    limit: schedule.options.limit,
    windowMs,
    granularityMs: schedule.options.stepMs > 1 ? 1000 : 0,
    fuzzMs,
    rateRatio: 0,
    before: schedule.before,
    rounding: schedule.rounding,
    readings: true,
  };
}

const bounds: Omit<ScheduleBounds, "families"> = {
  windowMs,
  grids: [500, 1000],
  maxSteps: Number(process.env["STEPS"] ?? 9),
  limits: process.env["BIG"] ? [5, 12, 20, 40, 60] : [1, 2, 3, 4],
  bursts: process.env["BIG"] ? [1, 1, 2, 5, 12, 30] : [1],
  maxGap: 4,
  maxSpan: Number(process.env["SPAN"] ?? 5),
  skews: [0, 0, 200],
  strange: true,
};
const runs = Number(process.env["RUNS"] ?? 1500);

describe("family models never refute what their family produced", () => {
  it.each(families.map(({ id }) => id))("%s", (id) => {
    const family = families.find((one) => one.id === id)!;
    assert(
      property(schedules({ ...bounds, families: [id as "fixed-window"] }), (schedule) => {
        const answers = play(schedule, 0);
        const verdict = family.examine(inputOf(schedule, answers, 2 * schedule.skewMs));
        expect(verdict.possible ? "" : verdict.refutation.because).toBe("");
      }),
      { numRuns: runs },
    );
  });
});
