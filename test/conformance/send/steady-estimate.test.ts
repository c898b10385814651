import { describe, expect, it } from "vitest";
import { createSteadyEstimate } from "../../../src/conformance/send/steady-estimate.ts";

/** The estimates that are passed on, of estimates a second apart, from the first second on. */
function settle(leftMs: readonly (number | null)[]): readonly (number | null)[] {
  const steady = createSteadyEstimate(0);
  return leftMs.map((left, index) => steady.settle((index + 1) * 1000, left));
}

describe("an estimate that is shown", () => {
  it("is one that stood for the last third of the time", () => {
    const shown = settle(Array.from({ length: 40 }, (_, index) => 100_000 - (index + 1) * 1000));
    expect(shown.slice(0, 26).every((left) => left === null)).toBe(true);
    expect(shown.at(-1)).toBe(60_000);
  });

  it("is withheld while the end moves away, and while it was unknown", () => {
    expect(settle(Array.from({ length: 60 }, (_, index) => 2000 * index)).every((left) => left === null)).toBe(true);
    expect(settle([...Array.from({ length: 55 }, () => null), 5000, 4000, 3000]).every((left) => left === null)).toBe(true);
  });

  it("is withheld again once it jumps", () => {
    const calm = Array.from({ length: 40 }, (_, index) => 100_000 - (index + 1) * 1000);
    expect(settle([...calm, 150_000]).at(-1)).toBeNull();
  });
});
