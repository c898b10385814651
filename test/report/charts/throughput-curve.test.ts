import { describe, expect, it } from "vitest";
import { markupOf } from "../../../src/report/escape/safe-html.ts";
import { drawThroughputCurve } from "../../../src/report/charts/throughput-curve.ts";

function xsOf(speeds: readonly number[]): readonly number[] {
  const points = speeds.map((perUser, place) => ({ label: `${place}`, perUser, inAll: 100 * place, ttftMs: null, tpotMs: null }));
  const drawn = markupOf(drawThroughputCurve([{ name: "run", points }], "curve", "tokens"));
  return [...drawn.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));
}

describe("drawThroughputCurve", () => {
  it("spreads speeds that hardly differ over the picture", () => {
    const [first = 0, last = 0] = xsOf([85, 101]);
    expect(Math.abs(last - first)).toBeGreaterThan(600);
  });

  it("shows no noise of one level as a curve", () => {
    const [first = 0, last = 0] = xsOf([49.8, 50.2]);
    expect(Math.abs(last - first)).toBeLessThan(100);
  });

  it("begins at zero where speeds differ much, and takes one alone", () => {
    const [first = 0, last = 0] = xsOf([10, 100]);
    expect((first - 86) / (last - 86)).toBeCloseTo(0.1, 2);
    expect(xsOf([50])[0]).toBeGreaterThan(800);
  });
});
