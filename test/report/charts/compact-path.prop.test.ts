import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactPath } from "../../../src/report/charts/compact-path.ts";

/** Corners in tenths of a pixel, by a reader that shares nothing with the writer; points inside a straight run are left out. */
function corners(d: string): readonly string[] {
  const seen: { readonly move: boolean; readonly x: number; readonly y: number }[] = [];
  let [x, y, startX, startY] = [0, 0, 0, 0];
  for (const [, command = "", rest = ""] of d.matchAll(/([MLHVZmlhvz])([^A-Za-z]*)/g)) {
    const values = [...rest.matchAll(/-?\d*\.?\d+/g)].map(([value]) => Math.round(Number(value) * 10));
    const upper = command.toUpperCase();
    const size = upper === "Z" ? 0 : upper === "H" || upper === "V" ? 1 : 2;
    for (let index = 0; index < Math.max(1, values.length); index += Math.max(1, size)) {
      const relative = command !== upper;
      if (upper === "Z") [x, y] = [startX, startY];
      else if (upper === "H") x = (relative ? x : 0) + values[index]!;
      else if (upper === "V") y = (relative ? y : 0) + values[index]!;
      else [x, y] = [(relative ? x : 0) + values[index]!, (relative ? y : 0) + values[index + 1]!];
      const move = upper === "M" && index === 0;
      if (move) [startX, startY] = [x, y];
      const [before, previous] = [seen.at(-2), seen.at(-1)];
      const straight =
        !move &&
        previous !== undefined &&
        before !== undefined &&
        !previous.move &&
        ((before.x === previous.x && previous.x === x && (y - previous.y) * (previous.y - before.y) >= 0) ||
          (before.y === previous.y && previous.y === y && (x - previous.x) * (previous.x - before.x) >= 0));
      if (straight && upper !== "Z") seen.pop();
      seen.push({ move, x, y });
      if (upper === "Z") break;
    }
  }
  return seen.map((point) => `${point.move ? "M" : "L"}${point.x} ${point.y}`);
}

const tenth = fc.integer({ min: -20, max: 10_000 }).map((value) => value / 10);
const segment = fc.oneof(
  fc.tuple(tenth, tenth).map(([x, y]) => `L${x},${y}`),
  fc.tuple(tenth, tenth).map(([x, y]) => `M${x} ${y}`),
  fc.tuple(tenth, tenth).map(([x, y]) => `M${x} ${y}h0`),
  tenth.map((x) => `H${x}`),
  tenth.map((y) => `V${y}`),
  tenth.map((x) => `h${x}`),
  fc.tuple(tenth, tenth).map(([x, y]) => `l${x} ${-y}`),
);

describe("compactPath", () => {
  it("draws the same corners with no more bytes", () => {
    fc.assert(
      fc.property(tenth, tenth, fc.array(segment, { maxLength: 30 }), fc.boolean(), (x, y, segments, closed) => {
        const d = `M${x} ${y}${segments.join("")}${closed ? "Z" : ""}`;
        const compact = compactPath(d);
        expect(corners(compact)).toEqual(corners(d));
        expect(compact.length).toBeLessThanOrEqual(d.length);
        expect(compactPath(compact)).toBe(compact);
      }),
    );
  });

  it("joins runs, keeps dots and shortens what steps along", () => {
    expect(compactPath("M311.3 58.5L317.6 58.5L326 58.5L326 62.5")).toBe("M311.3 58.5H326v4");
    expect(compactPath("M203.6 50.1h0M206.7 52.2h0")).toBe("M203.6 50.1h0m3.1 2.1h0");
  });

  it("leaves alone what it does not know", () => {
    for (const d of ["", "M0 0C1 2 3 4 5 6", "M0 0A5 5 0 0 1 9 9", "M0", "L4 4", "M0 0Lx", "\u0000"])
      expect(compactPath(d)).toBe(d);
  });
});
