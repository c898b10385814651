import { describe, expect, it } from "vitest";
import { renderHtml } from "../../../src/report/html/render-html.ts";
import { renderGithub } from "../../../src/report/reporters/github.ts";
import { renderJunit } from "../../../src/report/reporters/junit.ts";
import { renderMarkdown } from "../../../src/report/reporters/markdown.ts";
import { renderSummary } from "../../../src/report/terminal/summary.ts";
import { stageCounts } from "../../../src/report/text/stage-counts.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

describe("the counts of a run", () => {
  const { result, evidence } = buildSample();
  const counts = stageCounts(result);

  it("begin with what is in scope", () => {
    expect(counts).toEqual({
      conformance: expect.stringMatching(/^12 of 12 requirements in scope judged, \d+ violated; 2 untested, 1 not applicable$/),
      limits: expect.stringMatching(/^\d+ correct, \d+ violated, .*\d+ inconclusive; \d+ untested$/),
      load: expect.stringMatching(/^\d+ of \d+ gates? met(, \d+ inconclusive)?$/),
    });
  });

  it("are the same in every output", () => {
    const screen = {
      interactive: false,
      colour: false,
      width: 400,
      unicode: true,
      paint: (_: unknown, text: string) => text,
      write: () => {},
    };
    const outputs = {
      html: renderHtml(result, evidence),
      terminal: renderSummary(result, screen),
      markdown: renderMarkdown(result),
      github: renderGithub(result)
        .map(({ text }) => text)
        .join(""),
      junit: renderJunit(result),
    };
    for (const [name, text] of Object.entries(outputs)) {
      for (const count of [counts.conformance, counts.limits, counts.load])
        expect([name, text.includes(count ?? "")]).toEqual([name, true]);
    }
  });
});
