import { assert, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { families } from "../../../src/limits/identify/identify.ts";
import type { Family, FamilyInput } from "../../../src/limits/identify/family.ts";
import { explains, settingsOf } from "../brute-force/explain.ts";
import { play, schedules, type Answer, type Schedule, type ScheduleBounds } from "../brute-force/lawful-history.ts";
import { runsOf } from "../../make/runner/sample.ts";
import type { FamilyId } from "../brute-force/limiter-model.ts";

const windowMs = 12_000;

function inputOf(schedule: Schedule, answers: readonly Answer[]): FamilyInput {
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
    fuzzMs: 2 * schedule.skewMs,
    rateRatio: 0,
    before: schedule.before,
    rounding: schedule.rounding,
    readings: true,
  };
}

const few: Omit<ScheduleBounds, "families"> = {
  windowMs,
  grids: [500, 1000],
  maxSteps: 9,
  limits: [1, 2, 3, 4],
  bursts: [1],
  maxGap: 4,
  maxSpan: 5,
  skews: [0, 0, 200],
  strange: true,
};
/** Spans longer than a window, for those that read late. */
const slow = { ...few, maxSteps: 14, maxSpan: 16 };
/** Gaps of more than a window, after which some limiters begin their windows anew. */
const idle = { ...few, maxGap: 40, maxSteps: 14 };
const busyIdle = { ...idle, limits: [5, 12, 20], bursts: [1, 2, 5, 12] };
const crowded = { ...few, limits: [5, 12, 20, 40, 60], bursts: [1, 1, 2, 5, 12, 30] };

const ids = families.map(({ id }) => id);
const familyOf = (id: string): Family => families.find((one) => one.id === id)!;

describe("family models refute nothing that their family produced", () => {
  it.each([
    ["few requests", few, 500],
    ["slow requests", slow, 300],
    ["idle windows", idle, 300],
    ["bursts and idle windows", busyIdle, 150],
    ["bursts", crowded, 150],
  ] as const)("%s", (_title, bounds, numRuns) => {
    for (const id of ids) {
      assert(
        property(schedules({ ...bounds, families: [id] }), (schedule) => {
          const verdict = familyOf(id).examine(inputOf(schedule, play(schedule, 0)));
          expect([id, verdict.possible ? "" : verdict.refutation.because]).toEqual([id, ""]);
        }),
        { numRuns: runsOf(numRuns) },
      );
    }
  });
});

describe("windows that begin anew after idle ones", () => {
  it("go on where a request between two silences may have been counted, though it was answered otherwise", () => {
    const history: readonly (readonly [second: number, outcome: Answer["outcome"]])[] = [
      [0, "admitted"],
      [6, "rejected"],
      [26, "admitted"],
      // Counted: the grid that began at 26 s goes on, with a window at 50 s.
      [44, "free"],
      [53.5, "admitted"],
      [57.5, "rejected"],
      [67.5, "admitted"],
      [70, "rejected"],
      [74.5, "admitted"],
      [79.5, "rejected"],
      [89, "admitted"],
      [96.5, "rejected"],
    ];
    const ops = history.map(([second, outcome], seq) => ({
      seq,
      sentMs: second * 1000,
      headersMs: second * 1000,
      outcome,
      remaining: outcome === "admitted" ? 0 : null,
    }));
    const input = {
      ops,
      limit: 1,
      windowMs,
      granularityMs: 0,
      fuzzMs: 0,
      rateRatio: 0,
      before: 0,
      rounding: 1,
      readings: true,
    } as const;
    expect(familyOf("fixed-window").examine(input)).toMatchObject({ possible: true, parameters: { restarts: true } });
  });
});

/** Histories of a few requests, one answer of which may have been made up. */
const doubtful = record({
  schedule: schedules({
    ...few,
    families: ids,
    grids: [2000],
    maxSteps: 5,
    limits: [1, 2, 3],
    maxGap: 2,
    maxSpan: 3,
    skews: [0],
    strange: false,
  }),
  at: integer({ min: 0, max: 4 }),
  change: constantFrom("none", "status", "more", "less"),
});

function falsify(answers: readonly Answer[], at: number, change: string, limit: number): readonly Answer[] {
  const index = at % answers.length;
  const answer = answers[index]!;
  if (change === "none") return answers;
  if (change === "status") {
    const outcome = answer.outcome === "admitted" ? "rejected" : "admitted";
    return answers.with(index, { ...answer, outcome, remaining: 0 });
  }
  const remaining = Math.max(0, Math.min(limit, answer.remaining + (change === "more" ? 1 : -1)));
  return answers.with(index, answer.outcome === "admitted" ? { ...answer, remaining } : answer);
}

describe("family models against exhaustive search", () => {
  /**
   * Least share of inexplicable histories that a model must refute, with limits of one to three: what its allowances for boundaries,
   * late readers and rounding leave. A sliding counter is granted one request either way and a batch all of a window here: of such
   * small limits nothing is left.
   */
  const leastShare: Readonly<Record<FamilyId, number>> = {
    "fixed-window": 0.6,
    "fixed-from-first": 0.75,
    "sliding-log": 0.6,
    "sliding-counter": 0,
    "token-bucket": 0.2,
    "batch-refill": 0,
  };

  it.each(ids)("%s: no explained history is refuted, and its share of inexplicable ones is", (id) => {
    let inexplicable = 0;
    let refuted = 0;
    let explained = 0;
    assert(
      property(doubtful, ({ schedule, at, change }) => {
        const { limit } = schedule.options;
        const plain = { ...schedule, options: { ...schedule.options, stepMs: 1 } };
        const answers = falsify(play(plain, 0), at, change, limit);
        const question = { answers, before: plain.before, gridMs: plain.gridMs };
        const base = { ...plain.options, family: id };
        const found = settingsOf(base, plain.gridMs).some(({ options, shiftMs }) => explains(options, shiftMs, question));
        const verdict = familyOf(id).examine(inputOf(plain, answers));
        if (found) {
          explained += 1;
          expect(verdict.possible ? "" : verdict.refutation.because).toBe("");
        } else {
          inexplicable += 1;
          if (!verdict.possible) refuted += 1;
        }
      }),
      { numRuns: 400, seed: 7 },
    );
    expect(explained).toBeGreaterThan(50);
    expect(refuted / inexplicable).toBeGreaterThanOrEqual(leastShare[id]);
  });
});
