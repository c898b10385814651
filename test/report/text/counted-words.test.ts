import { expect, it } from "vitest";
import type { Result } from "../../../src/core/result/result.ts";
import { renderHtml } from "../../../src/report/html/render-html.ts";
import { renderMarkdown } from "../../../src/report/reporters/markdown.ts";
import { createScreen } from "../../../src/report/terminal/screen.ts";
import { renderSummary } from "../../../src/report/terminal/summary.ts";
import { countedWords } from "../../../src/report/text/counted-words.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

const { result } = buildSample();
const { profiles, calibration } = result.load!;
const [first, ...rest] = profiles;
const counted = { kept: 2_000_000, counted: 345_678 };
const large: Result = { ...result, load: { calibration, profiles: [{ ...first!, counted }, ...rest] } };
const screen = createScreen({ env: { NO_COLOR: "1" }, stream: { columns: 400, write: () => true } });

it.each([
  ["the HTML report", (of: Result) => renderHtml(of, [])],
  ["Markdown", renderMarkdown],
  ["the terminal", (of: Result) => renderSummary(of, screen)],
])("%s says how many requests were not kept, where that is so", (_, render) => {
  const words = /kept, 345[^0-9]?678 counted into histograms: percentiles are of all/;
  expect(render(large).replaceAll(/\s+/g, " ")).toMatch(words);
  expect(render(result).replaceAll(/\s+/g, " ")).not.toContain("counted into histograms");
});

it("names the figures that are of the kept records alone", () => {
  const { lengths: _lengths, cache: _cache, leaving: _leaving, ...plain } = first!;
  const cache = { requests: 1, promptTokens: 10, cachedTokens: 5, turns: [], sessions: null };
  expect(countedWords({ ...plain, counted })).not.toContain("alone");
  expect(countedWords({ ...plain, counted, cache })).toContain("; cached tokens: of those kept alone");
  expect(countedWords({ ...plain, cache })).toBe("");
});
