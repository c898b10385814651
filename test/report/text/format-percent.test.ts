import { describe, expect, it } from "vitest";
import { formatPercent } from "../../../src/report/text/format-number.ts";

describe("formatPercent", () => {
  it.each([
    [-0.0002, "0.0 %"],
    [-0.002, "−0.2 %"],
    [0, "0.0 %"],
    [-0.1, "−10.0 %"],
  ])("writes %d as %s", (fraction, text) => {
    expect(formatPercent(fraction)).toBe(text);
  });
});
