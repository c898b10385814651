import { describe, expect, it } from "vitest";
import { fitFindings } from "../../../src/report/terminal/fit-findings.ts";
import { wrapText } from "../../../src/report/terminal/wrap-text.ts";

const block = (name: string): { whole: readonly string[]; brief: readonly string[] } => ({
  whole: [name, "sent", "expected", "observed"],
  brief: [name, "sent"],
});

describe("fitFindings", () => {
  it("shows the first ones whole while all of them fit", () => {
    const shown = fitFindings([block("a"), block("b"), block("c")], 8);
    expect(shown.map((lines) => lines.length)).toEqual([4, 2, 2]);
  });

  it("leaves out those that no longer fit in brief, and never the first", () => {
    expect(fitFindings([block("a"), block("b"), block("c")], 4)).toHaveLength(2);
    expect(fitFindings([block("a"), block("b")], 1)).toEqual([block("a").whole]);
    expect(fitFindings([], 5)).toEqual([]);
  });
});

describe("wrapText", () => {
  const form = { width: 20, first: "  sent ", rest: "       ", maxLines: Infinity, ellipsis: "…" };

  it("loses no character, of long words either", () => {
    const text = `one ${"x".repeat(50)} two`;
    const lines = wrapText(text, form);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(20);
    expect(lines.map((line) => line.slice(7)).join("")).toBe(text.replaceAll(" ", ""));
  });

  it("says where it leaves something out", () => {
    const lines = wrapText("one two three four five six seven eight", { ...form, maxLines: 2 });
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/…$/);
  });
});
