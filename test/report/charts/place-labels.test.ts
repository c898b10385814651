import { describe, expect, it } from "vitest";
import { placeLabels } from "../../../src/report/charts/throughput-curve.ts";

describe("labels of points", () => {
  it("stand right above their point where there is room", () => {
    expect(placeLabels([{ x: 100, y: 50, label: "64" }])).toEqual([{ x: 107, y: 45, label: "64", anchor: "start" }]);
  });

  it("never stand on each other: of many points at one place four keep theirs", () => {
    const crowd = ["2", "4", "8", "16", "32", "64"].map((label) => ({ x: 100, y: 50, label }));
    const placed = placeLabels(crowd);
    expect(placed.map(({ label, anchor }) => [label, anchor])).toEqual([
      ["2", "start"],
      ["4", "end"],
      ["8", "start"],
      ["16", "end"],
    ]);
    expect(new Set(placed.map(({ x, y }) => `${x} ${y}`)).size).toBe(4);
  });
});
