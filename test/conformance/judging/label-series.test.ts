import { describe, expect, it } from "vitest";
import { type LabelSeries, labelSeries } from "../../../src/conformance/judging/label-series.ts";

describe("labelSeries", () => {
  it("has the labels that it makes, whatever their parts", () => {
    const series: LabelSeries<[round: number, count: number] | ["again", time: number]> = labelSeries("exceed");
    const labels = [series.label(1, 2), series.label("again", 1)];
    expect(labels).toEqual(["exceed-1-2", "exceed-again-1"]);
    expect(labels.every((label) => series.has({ label }))).toBe(true);
  });

  it("has no label that only begins with its name, nor the name alone", () => {
    const series: LabelSeries = labelSeries("after");
    expect(["after", "afterwards", "before-1", "thereafter-1"].filter((label) => series.has({ label }))).toEqual([]);
  });

  it("has the labels of a series of more words that begin with its own", () => {
    const [whole, part]: readonly LabelSeries[] = [labelSeries("after"), labelSeries("after", "alone")];
    expect(part?.label(1)).toBe("after-alone-1");
    expect(whole?.has({ label: "after-alone-1" })).toBe(true);
    expect(part?.has({ label: "after-1" })).toBe(false);
  });
});
