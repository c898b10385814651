import { expect, it } from "vitest";
import type { GateResult } from "../../../src/core/result/gate-result.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { judgeGate } from "../../../src/load/gates/judge-gate.ts";
import { parseGate } from "../../../src/load/gates/parse-gate.ts";
import type { GateSource } from "../../../src/load/gates/read-figure.ts";
import { renderHtml } from "../../../src/report/html/render-html.ts";
import { renderMarkdown } from "../../../src/report/reporters/markdown.ts";
import { longerWords } from "../../../src/report/text/longer-words.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

it("says how much longer a measurement had to be, and nothing of one that is long enough", () => {
  expect([1.44, 15.2, 4000, 1].map((timesAsLong) => longerWords({ timesAsLong }))).toEqual([
    "1.5 x as long",
    "16 x as long",
    "1,000+ x as long",
    "",
  ]);
  expect(longerWords({})).toBe("");
  expect(longerWords({ timesAsLong: 15.2, timesAtLeast: true })).toBe("16+ x as long");
});

/** 4 errors of 200, spread evenly: the interval reaches from 0.5 to 5 %. */
function openGate(): GateResult {
  const inOrder = Float64Array.from({ length: 200 }, (_, at) => (at % 50 === 25 ? 1 : 0));
  const source: GateSource = {
    endpoints: ["chat"],
    samples: () => null,
    where: () => source,
    fraction: () => ({ part: 4, whole: 200, inOrder }),
    rate: () => null,
    count: () => 0,
    certainErrors: () => 0,
    isEstimated: () => false,
    guessed: () => ({ tokens: 0, good: 0, unread: 0 }),
    givenUp: () => 0,
    timeoutSeconds: 60,
    planned: null,
    observation: () => null,
    paused: () => 0,
    capacity: null,
    limits: () => null,
  };
  return judgeGate(parseGate("error_rate < 3%"), source).result;
}

it("stands beside an inconclusive gate in every report, about as long as it takes", () => {
  const gate = openGate();
  expect(gate.verdict).toBe("inconclusive");
  // A share of 2 % needs about (3 / 1)^2 times as many for an interval that ends below 3 %.
  expect(gate.timesAsLong).toBeGreaterThan(4);
  expect(gate.timesAsLong).toBeLessThan(18);
  const { result, evidence } = buildSample();
  const [first, ...rest] = result.load?.profiles ?? [];
  const changed: Result = { ...result, load: { ...result.load!, profiles: [{ ...first!, gates: [gate] }, ...rest] } };
  const words = longerWords(gate);
  expect(renderHtml(changed, evidence)).toContain(`about ${words.split(" ")[0]} times as long`);
  expect(renderMarkdown(changed).replaceAll("\\", "")).toContain(words);
});
