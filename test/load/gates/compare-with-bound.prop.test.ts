import * as fc from "fast-check";
import { expect, it } from "vitest";
import { compareWithBound } from "../../../src/load/gates/compare-with-bound.ts";
import type { GateOperator } from "../../../src/load/profile/gate.ts";

const holds: Readonly<Record<GateOperator, (value: number, bound: number) => boolean>> = {
  "<": (value, bound) => value < bound,
  "<=": (value, bound) => value <= bound,
  ">": (value, bound) => value > bound,
  ">=": (value, bound) => value >= bound,
  "==": (value, bound) => value === bound,
  "!=": (value, bound) => value !== bound,
};
const operators = Object.keys(holds) as GateOperator[];

it("says of a range what every figure in it says, and of one end alone what no other end can change", () => {
  const whole = fc.integer({ min: 0, max: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...operators), whole, whole, whole, fc.boolean(), (operator, bound, least, width, isOpen) => {
      // Halves lie between neighbouring ends, and twenty is far beyond every bound.
      const most = isOpen ? Infinity : least + width;
      const figures = Array.from({ length: 41 }, (_, index) => index / 2).filter((one) => least <= one && one <= most);
      const answers = new Set(figures.map((figure) => holds[operator](figure, bound)));
      const { met, distance } = compareWithBound({ operator, bound }, { least, most });
      expect(met).toBe(answers.size === 2 ? null : answers.has(true));
      expect(distance).toBe(Math.min(...figures.map((figure) => Math.abs(figure - bound))));
    }),
  );
});
