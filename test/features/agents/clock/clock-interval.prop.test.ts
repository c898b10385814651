import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/core/random.ts";
import { createClockInterval, clockErrorMs } from "../../../../src/features/agents/clock/clock-interval.ts";

interface World {
  readonly skewMs: number;
  /** Of each clock against true time, in millionths. */
  readonly driftHere: number;
  readonly driftThere: number;
  /** Least time of each way, and what may come on top of it. */
  readonly thereMs: number;
  readonly backMs: number;
  readonly jitterMs: number;
  readonly seed: number;
}

const hourMs = 3_600_000;

const worlds: fc.Arbitrary<World> = fc.record({
  skewMs: fc.double({ min: -hourMs, max: hourMs, noNaN: true }),
  driftHere: fc.double({ min: -500, max: 500, noNaN: true }),
  driftThere: fc.double({ min: -500, max: 500, noNaN: true }),
  thereMs: fc.double({ min: 0, max: 200, noNaN: true }),
  backMs: fc.double({ min: 0, max: 200, noNaN: true }),
  jitterMs: fc.double({ min: 0, max: 50, noNaN: true }),
  seed: fc.nat(),
});

/** Two clocks over a minute of true time, an exchange each second; the truth at every one of them. */
function follow(world: World, stepAtMs: number | null = null) {
  const random = createRandom(world.seed);
  const step = (trueMs: number): number => (stepAtMs !== null && trueMs >= stepAtMs ? 2000 : 0);
  const here = (trueMs: number): number => trueMs * (1 + world.driftHere / 1e6);
  const there = (trueMs: number): number => world.skewMs + trueMs * (1 + world.driftThere / 1e6) + step(trueMs);
  const interval = createClockInterval();
  const seen = [];
  for (let second = 0; second < 60; second += 1) {
    const asked = second * 1000 + 100 * random.next();
    const taken = asked + world.thereMs + world.jitterMs * random.next();
    const answered = taken + 5 * random.next();
    const heard = answered + world.backMs + world.jitterMs * random.next();
    const agreed = interval.observe({
      askedMs: here(asked),
      heardMs: here(heard),
      takenMs: there(taken),
      answeredMs: there(answered),
    });
    const offset = there(heard) - here(heard);
    seen.push({ agreed, offset, ...interval.at(here(heard))! });
    const later = heard + 700;
    const between = interval.at(here(later))!;
    // A clock that is set between two exchanges is noticed at the next.
    if (stepAtMs === null) seen.push({ agreed, offset: there(later) - here(later), ...between });
  }
  return seen;
}

function misses({
  offset,
  lowMs,
  highMs,
}: {
  readonly offset: number;
  readonly lowMs: number;
  readonly highMs: number;
}): boolean {
  return offset < lowMs || offset > highMs;
}

describe("the offset of another clock as an interval", () => {
  it("holds the true offset in 10,000 of 10,000 worlds: skew of 1 h, drift of 500 ppm each, ways of 200 ms", () => {
    let checked = 0;
    fc.assert(
      fc.property(worlds, (world) => {
        checked += 1;
        expect(follow(world).filter((seen) => !seen.agreed || misses(seen))).toEqual([]);
      }),
      { numRuns: 10_000 },
    );
    expect(checked).toBe(10_000);
  });

  it("is as narrow as the shortest round trip and the drift since allow", () => {
    const [last] = follow({ skewMs: 5, driftHere: 0, driftThere: 0, thereMs: 200, backMs: 1, jitterMs: 0, seed: 1 }).slice(-2);
    expect(last!.highMs - last!.lowMs).toBeLessThan(210);
    expect(last!.highMs - last!.lowMs).toBeGreaterThan(200);
  });

  it("notices a clock that was set by 2 s, and holds the truth again after", () => {
    fc.assert(
      fc.property(worlds, fc.integer({ min: 5, max: 50 }), (world, second) => {
        const seen = follow(world, second * 1000 - 300);
        expect(seen.filter(({ agreed }) => !agreed)).toHaveLength(1);
        expect(seen.filter(misses)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("bounds what one fixed offset may be wrong by the farther end", () => {
    expect(clockErrorMs({ lowMs: 3, highMs: 9 }, 5)).toBe(4);
    expect(clockErrorMs({ lowMs: 3, highMs: 9 }, 10)).toBe(7);
  });
});
