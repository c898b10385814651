import { describe, expect, it } from "vitest";
import type { Result } from "../../../src/core/result/result.ts";
import { renderHtml } from "../../../src/report/html/render-html.ts";
import { renderGithub } from "../../../src/report/reporters/github.ts";
import { renderJunit } from "../../../src/report/reporters/junit.ts";
import { renderMarkdown } from "../../../src/report/reporters/markdown.ts";
import { renderSummary } from "../../../src/report/terminal/summary.ts";
import { stageCounts } from "../../../src/report/text/stage-counts.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

/** Nobody asked for the rows that were violated. */
function inPassing(result: Result): Result {
  const conformance = result.conformance!;
  const requirements = conformance.requirements.map((row) =>
    row.verdict === "fail" ? { ...row, inPassing: true as const } : row,
  );
  return { ...result, conformance: { ...conformance, requirements } };
}

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

  it("do not say of gates that were not judged that they were missed", () => {
    const profiles = result.load!.profiles.map((profile) => ({
      ...profile,
      gates: profile.gates.map((gate) => ({ ...gate, verdict: "inconclusive" as const })),
    }));
    const { load } = stageCounts({ ...result, load: { ...result.load!, profiles } });
    expect(load).toMatch(/^\d+ gates? inconclusive$/);
  });

  it("count apart what was only seen in passing", () => {
    const violated = Number(/(\d+) violated;/.exec(counts.conformance ?? "")?.[1]);
    expect(violated).toBeGreaterThan(0);
    expect(stageCounts(inPassing(result)).conformance).toContain(
      ` requirements in scope judged, 0 violated; ${violated} more violated, seen in passing, `,
    );
  });

  it.each([
    ["as they are", result],
    ["seen in passing", inPassing(result)],
  ])("are the same in every output: violations %s", (_, shown) => {
    const counts = stageCounts(shown);
    const screen = {
      interactive: false,
      colour: false,
      width: 400,
      unicode: true,
      paint: (_: unknown, text: string) => text,
      write: () => {},
    };
    const outputs = {
      html: renderHtml(shown, evidence),
      terminal: renderSummary(shown, screen),
      markdown: renderMarkdown(shown),
      github: renderGithub(shown)
        .map(({ text }) => text)
        .join(""),
      junit: renderJunit(shown),
    };
    for (const [name, text] of Object.entries(outputs)) {
      for (const count of [counts.conformance, counts.limits, counts.load])
        expect([name, text.includes(count ?? "")]).toEqual([name, true]);
    }
  });
});
