import { describe, expect, it } from "vitest";
import { drawFinding, fitMiddle, fitFindings } from "../../../src/report/terminal/draw-finding.ts";
import { createScreen } from "../../../src/report/terminal/screen.ts";
import { displayWidth } from "../../../src/report/escape/terminal.ts";
import { makeFinding } from "../../make/results/make-finding.ts";
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

describe("a finding in brief", () => {
  const screen = createScreen({ stream: { write: () => true, columns: 100 }, env: { NO_COLOR: "1", LANG: "C.UTF-8" } });
  const lastOf = (sent: string, observed: string): string =>
    drawFinding(makeFinding({ sent, observed }), screen, 3).brief.at(-1) ?? "";

  it("names what was sent and what was observed in one line", () => {
    expect(lastOf("GET /v1/models", "500")).toBe("  sent     GET /v1/models  observed 500");
    const long = lastOf(`POST /v1/chat/completions with ${"x".repeat(300)},"role":7`, `200, ${"y".repeat(300)}`);
    expect(displayWidth(long)).toBe(100);
    // Both ends of a request, and the beginning of an answer.
    expect(long).toMatch(/^ {2}sent {5}POST \/v1\/chat\S*.* observed 200, y+…$/);
    expect(long).toContain(',"role":7  observed');
  });

  it("cuts in the middle, and only what is too wide", () => {
    expect(fitMiddle("abcdefghij", 10, "…")).toBe("abcdefghij");
    expect(fitMiddle("abcdefghijk", 7, "…")).toBe("abc…ijk");
    expect(displayWidth(fitMiddle("漢字漢字漢字漢字", 7, "…"))).toBeLessThanOrEqual(7);
  });
});
