import { assert, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { verifyWitness } from "../../../src/limits/certificates/verify-witness.ts";
import { searchOrder } from "../../../src/limits/witness/search-order.ts";
import type { WitnessOp, WitnessSetup } from "../../../src/limits/certificates/witness-form.ts";
import { play, schedules, type Schedule } from "../brute-force/lawful-history.ts";

const windowMs = 60_000;
const epochMs = 1_763_700_000_000;
const clock = { slackMs: 6000, lowMs: Number.NEGATIVE_INFINITY, highMs: Number.POSITIVE_INFINITY };

/** Every answered request of a schedule without strange ones, as the search sees it. */
function answersOf(schedule: Schedule): readonly WitnessOp[] {
  return play(schedule, epochMs).map(({ seq, sentMs, headersMs, outcome, remaining, resetMs }) => ({
    seq,
    sentMs,
    headersMs,
    admitted: outcome === "admitted",
    remaining,
    resetMs: Math.ceil(resetMs / 1000) * 1000,
  }));
}

function setupOf({ options, before, rounding }: Schedule, answers: readonly WitnessOp[]): WitnessSetup {
  const { limit, capacity, startLevel, batchMs, countsRejects } = options;
  const windowed = options.family.startsWith("fixed") || options.family === "sliding-counter";
  return {
    family: options.family,
    limit,
    windowMs,
    before,
    rounding,
    countsRejects,
    weigh: options.weigh === "floor" ? "floor" : "ceil",
    wholeSeconds: false,
    phaseMs: windowed ? (answers[0]?.resetMs ?? 0) % windowMs : 0,
    label: options.label === 0 ? 0 : 1,
    capacity,
    startLevel,
    batchMs,
    hidden: batchMs > 0 ? [-(epochMs % batchMs), -(epochMs % batchMs)] : [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  };
}

/** Read at once, by a clock that is not floored; a log's label names an expiry. */
function plainly(schedule: Schedule): Schedule {
  const { options } = schedule;
  return { ...schedule, lateRead: false, options: { ...options, stepMs: 1, label: options.label % 2 } };
}

const lawful = schedules({
  families: ["fixed-window", "fixed-from-first", "sliding-log", "sliding-counter", "token-bucket", "batch-refill"],
  windowMs,
  grids: [100, 500, 1000],
  maxSteps: 12,
  limits: [2, 3, 5, 8],
  bursts: [1, 1, 2, 6],
  maxGap: 20,
  maxSpan: 3,
  skews: [0],
  strange: false,
});

describe("witnesses of small histories", () => {
  it("are found for most histories of lawful limiters that read at once", () => {
    const found = new Map<string, [hits: number, all: number]>();
    assert(
      property(lawful, (drawn) => {
        const schedule = plainly(drawn);
        const answers = answersOf(schedule);
        const { witness } = searchOrder(setupOf(schedule, answers), answers, clock, { deadEnds: 400, share: 0 });
        const count = found.get(schedule.options.family) ?? [0, 0];
        found.set(schedule.options.family, count);
        count[1] += 1;
        if (witness !== null && verifyWitness(witness, answers, clock) === null) count[0] += 1;
      }),
      { numRuns: 600, seed: 11 },
    );
    expect(found.size).toBe(6);
    for (const [family, [hits, all]] of found) expect([family, hits / all > 0.9]).toEqual([family, true]);
  });

  it("do not verify any more when an answer, an instant or the order is another", () => {
    const changes = record({ at: integer({ min: 0, max: 100 }), what: constantFrom("status", "remaining", "instant", "twice") });
    let broken = 0;
    assert(
      property(lawful, changes, (drawn, { at, what }) => {
        const schedule = plainly(drawn);
        const answers = answersOf(schedule);
        const { witness } = searchOrder(setupOf(schedule, answers), answers, clock, { deadEnds: 400, share: 0 });
        if (witness === null || verifyWitness(witness, answers, clock) !== null) return;
        const index = at % answers.length;
        const op = answers[index]!;
        const other: WitnessOp =
          what === "status"
            ? { ...op, admitted: !op.admitted }
            : what === "remaining"
              ? { ...op, remaining: op.remaining + 1 }
              : op;
        const decisions = witness.decisions.map((decision) =>
          decision.seq !== op.seq ? decision : what === "instant" ? { ...decision, atMs: op.headersMs + 1 } : decision,
        );
        const claimed = { ...witness, decisions: what === "twice" ? [...decisions.slice(1), decisions.at(-1)!] : decisions };
        const reported = verifyWitness(claimed, answers.with(index, other), clock);
        // A single decision that is left out and put back is the same.
        if (what === "twice" && answers.length === 1) return;
        broken += 1;
        expect([what, reported === null]).toEqual([what, false]);
      }),
      { numRuns: 400, seed: 5 },
    );
    expect(broken).toBeGreaterThan(200);
  });
});
