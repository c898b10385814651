import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvRow } from "../../src/report/escape/csv.ts";
import { githubData, githubProperty } from "../../src/report/escape/github.ts";
import { escapeHtml } from "../../src/report/escape/html.ts";
import { safeJson } from "../../src/report/escape/json.ts";
import { markdownBlock, markdownCode } from "../../src/report/escape/markdown.ts";
import { fitWidth, displayWidth, terminalText } from "../../src/report/escape/terminal.ts";
import { escapeXml } from "../../src/report/escape/xml.ts";
import { hostileStrings } from "../make/hostile/hostile-strings.ts";
import { anyCodePoints } from "../make/hostile/any-code-points.ts";

/** Any UTF-16, lone surrogates and controls included, often woven with the corpus. */
const anyText = fc.oneof(
  anyCodePoints(),
  fc.array(fc.oneof(fc.constantFrom(...hostileStrings), anyCodePoints()), { maxLength: 4 }).map((parts) => parts.join("")),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
);

const controls = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe("escapers on any text", () => {
  it("leave no character that ends HTML or XML text or an attribute", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"'`]/);
        expect(escapeHtml(text).replace(/[\n\t]/g, "")).not.toMatch(controls);
        expect(escapeXml(text)).not.toMatch(/[<>"'\n\t]/);
        expect(escapeXml(text)).not.toMatch(controls);
      }),
    );
  });

  it("keep a terminal line one line without controls, and within its width", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, width) => {
        expect(terminalText(text)).not.toMatch(controls);
        expect(displayWidth(fitWidth(terminalText(text), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("keep a GitHub command on one line, its properties without separators", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(githubData(text)).not.toMatch(/[\r\n]/);
        expect(githubProperty(text)).not.toMatch(/[\r\n:,]/);
      }),
    );
  });

  it("round-trip JSON", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const value = { [text]: text, list: [text] };
        expect(JSON.stringify(JSON.parse(safeJson(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("give CSV that reads back as one row of as many cells", () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 5 }), (cells) => {
        const row = csvRow(cells);
        expect(readCsvRow(row)).toHaveLength(cells.length);
        for (const cell of readCsvRow(row)) expect(cell).not.toMatch(/^\s*[=+@-]/);
      }),
    );
  });

  it("never let text close its own Markdown fence", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = markdownBlock(text).trimEnd().split("\n");
        const fence = lines[0] ?? "";
        expect(lines.slice(1, -1).some((line) => line.trim().startsWith(fence))).toBe(false);
        const span = markdownCode(text);
        const opening = /^`+/.exec(span)?.[0] ?? "";
        expect(span.slice(opening.length, -opening.length).split(/[^`]+/).includes(opening)).toBe(false);
      }),
    );
  });
});

/** RFC 4180, strictly. */
function readCsvRow(row: string): readonly string[] {
  expect(row.endsWith("\r\n")).toBe(true);
  const cells: string[] = [];
  let rest = row.slice(0, -2);
  for (;;) {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|$)/.exec(rest);
    if (match === null) throw new Error(`not a CSV row: ${rest}`);
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === "") return cells;
    rest = rest.slice(match[0].length);
  }
}
