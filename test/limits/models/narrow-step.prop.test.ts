import { array, assert, constantFrom, integer, pre, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import type { WitnessOp, WitnessSetup } from "../../../src/limits/certificates/witness-form.ts";
import type { FamilyId, Limiter, ModelState } from "../../../src/limits/models/limiter-model.ts";
import { modelOfFamily } from "../../../src/limits/models/model-of-family.ts";
import type { NarrowState } from "../../../src/limits/models/narrow-step.ts";

const windowMs = 24_000;
const anyClock = { slackMs: 0, lowMs: Number.NEGATIVE_INFINITY, highMs: Number.POSITIVE_INFINITY };
/** Label minus run clock; a multiple of no step of an instant, so that nothing lies on the end of a window. */
const aheadMs = 1_763_700_000_137;
const everything = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

interface Drawn {
  readonly limit: number;
  readonly weigh: "floor" | "ceil";
  readonly wholeSeconds: boolean;
  readonly countsRejects: boolean;
  readonly batchMs: number;
  readonly gaps: readonly number[];
}

const drawn = record<Drawn>({
  limit: integer({ min: 1, max: 6 }),
  weigh: constantFrom("floor", "ceil"),
  wholeSeconds: constantFrom(false, true),
  countsRejects: constantFrom(false, true),
  batchMs: constantFrom(1000, 2000, 6000),
  gaps: array(constantFrom(0, 500, 1000, 3500, 9000, 30_000), { minLength: 3, maxLength: 24 }),
});

interface Played {
  readonly setup: WitnessSetup;
  /** The hidden number after all of it. */
  readonly hidden: number;
  readonly ops: readonly WitnessOp[];
}

/** The answers of the point model of a family to requests one after the other. */
function play(family: FamilyId, history: Drawn): Played {
  const { limit, weigh, batchMs, gaps } = history;
  const countsRejects = history.countsRejects && family.startsWith("sliding");
  const wholeSeconds = history.wholeSeconds && family === "fixed-from-first";
  const byClock = family === "fixed-window" || family === "sliding-counter";
  const phaseMs = byClock ? -(aheadMs % windowMs) : family === "batch-refill" ? -(aheadMs % batchMs) : 0;
  const clock = (atMs: number): number => (wholeSeconds ? Math.floor((atMs + aheadMs) / 1000) * 1000 - aheadMs : atMs);
  const own = { batchMs: family === "batch-refill" ? batchMs : 0, weigh };
  const limiter = modelOfFamily(family)!.init({ limit, windowMs, phaseMs, restarts: false, capacity: limit, ...own });
  let state = limiter.start;
  let fullAtMs = 0;
  let atMs = 0;
  const ops = gaps.map((gap, index): WitnessOp => {
    // Seven more, so that a bucket seldom holds a whole number.
    atMs += gap + 7;
    state = limiter.step(state, "ask", clock(atMs));
    const before = limiter.left(state);
    if (family === "token-bucket" && before === limit) fullAtMs = atMs;
    else if (family.endsWith("bucket") || family === "batch-refill") pre(!isAlmostWhole(before));
    const admitted = before >= 1;
    if (admitted || countsRejects) state = limiter.step(state, "take", clock(atMs));
    const remaining = admitted ? Math.max(0, Math.floor(limiter.left(state))) : 0;
    return { seq: index, sentMs: atMs, headersMs: atMs, admitted, remaining, resetMs: labelOf(family, limiter, state, atMs) };
  });
  const hidden = family === "batch-refill" ? phaseMs : family === "token-bucket" ? fullAtMs : aheadMs;
  const labels = { phaseMs: 0, label: 0, startLevel: limit, capacity: limit, hidden: everything } as const;
  return {
    setup: { family, limit, windowMs, before: 0, rounding: 1, countsRejects, wholeSeconds, ...labels, ...own },
    hidden,
    ops,
  };

  function labelOf(id: FamilyId, limiting: Limiter, after: ModelState, ms: number): number {
    if (byClock) return (Math.floor((ms + aheadMs) / windowMs) + 1) * windowMs;
    if (id === "fixed-from-first") return after[0]! + windowMs + aheadMs;
    if (id === "sliding-log") return (after.slice(-limit)[0] ?? ms) + windowMs + aheadMs;
    const missingMs = ((limit - limiting.left(after)) * windowMs) / limit;
    if (id === "token-bucket") return ms + missingMs + aheadMs;
    const batch = Math.floor((ms - phaseMs) / batchMs) + Math.ceil(missingMs / batchMs - 1e-6);
    return phaseMs + batch * batchMs + aheadMs;
  }
}

/** A bucket that holds almost a whole number lies at the bound of two answers, and sums of fractions are not exact. */
function isAlmostWhole(level: number): boolean {
  return level !== Math.round(level) && Math.abs(level - Math.round(level)) < 1e-6;
}

/** All states of the narrow step after the history. */
function narrowed({ setup, ops }: Played, [low, high]: readonly [number, number]): readonly NarrowState[] {
  const step = modelOfFamily(setup.family)!.narrow(setup, anyClock);
  const [nearest, farthest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let states: readonly NarrowState[] = [{ low, high, numbers: [], nearest, farthest, anchor: null }];
  for (const op of ops) states = states.flatMap((state) => step(state, op, op.sentMs, op.sentMs));
  return states;
}

/** The hidden number before anything is known of it; the phase of batches is searched in cells. */
function unknown({ setup, hidden }: Played): readonly [number, number] {
  return setup.family === "batch-refill" ? [hidden - 40, hidden + 60] : everything;
}

const families: readonly FamilyId[] = [
  "fixed-window",
  "fixed-from-first",
  "sliding-log",
  "sliding-counter",
  "token-bucket",
  "batch-refill",
];

describe("the narrow step of a family", () => {
  it.each(families)("admits what the point step answers, with the hidden number in its span: %s", (family) => {
    assert(
      property(drawn, (history) => {
        const played = play(family, history);
        const states = narrowed(played, unknown(played));
        const holds = ({ low, high }: NarrowState): boolean => low <= played.hidden && played.hidden <= high;
        expect(states.some(holds)).toBe(true);
      }),
      { numRuns: 400, seed: 3 },
    );
  });

  it.each(families)("refuses another answer than that of the point step where the hidden number is known: %s", (family) => {
    let changed = 0;
    assert(
      property(drawn, integer({ min: 0, max: 30 }), constantFrom("status", "more", "less"), (history, at, change) => {
        const played = play(family, history);
        const index = at % played.ops.length;
        const op = played.ops[index]!;
        if (change !== "status" && !op.admitted) return;
        const by = change === "more" ? 1 : -1;
        const other =
          change === "status" ? { ...op, admitted: !op.admitted, remaining: 0 } : { ...op, remaining: op.remaining + by };
        changed += 1;
        const known = family === "token-bucket" ? everything : ([played.hidden, played.hidden] as const);
        expect(narrowed({ ...played, ops: played.ops.with(index, other) }, known)).toEqual([]);
      }),
      { numRuns: 400, seed: 4 },
    );
    expect(changed).toBeGreaterThan(150);
  });
});
