import { describe, expect, it } from "vitest";
import type { CompareResult } from "../../../src/core/result/compare-result.ts";
import { displayWidth } from "../../../src/report/escape/terminal.ts";
import { renderCompareHtml } from "../../../src/features/compare/report/render-compare-html.ts";
import { createScreen } from "../../../src/report/terminal/screen.ts";
import { renderCompareSummary } from "../../../src/features/compare/report/compare-summary.ts";
import { forbiddenMarkup, hostileStrings } from "../../make/hostile/hostile-strings.ts";
import { sampleCompare } from "../../make/sample-result/sample-compare.ts";

const compared = sampleCompare();
const screen = createScreen({ stream: { isTTY: true, columns: 80, write: () => true }, env: { LANG: "C.UTF-8", NO_COLOR: "1" } });

describe("renderCompareHtml", () => {
  const page = renderCompareHtml(compared);

  it("reports the verdict, then whether the runs may be compared, then figures", () => {
    const order = [
      "Worse</h1>",
      "p99 of TTFT rose by 35.6 %",
      "The two runs may be compared.",
      'id="metrics"',
      'id="shifts"',
      'id="conformance"',
      'id="method"',
    ];
    const positions = order.map((text) => page.slice(page.indexOf("<main")).indexOf(text));
    expect(positions.every((position) => position >= 0)).toBe(true);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
  });

  it("gives intervals, what was detectable, and one shift chart for each distribution", () => {
    expect(page).toContain("+35.6 %");
    expect(page).toContain("23.0 % to 48.2 %");
    expect(page).toContain("± 13.5 %");
    expect(page).toContain("ttft of chat, chat-stream-steady: the largest shift is +35.6 % at p99, between +31.6 % and +40.6 %.");
    expect(page.match(/<figure>/g)).toHaveLength(1);
    expect(page).not.toMatch(/NaN|undefined/);
  });

  it("lists newly failing verdicts before mended ones", () => {
    expect(page.indexOf("CHAT-014")).toBeLessThan(page.indexOf("IMG-002"));
    expect(page).toContain("5 verdicts, none changed.");
  });

  it("says when figures are shown but not judged", () => {
    const apart: CompareResult = {
      ...compared,
      verdict: "not comparable",
      comparability: {
        comparable: false,
        checks: [{ id: "same-spec", outcome: "differs", blocking: true, message: "The texts differ." }],
      },
    };
    const text = renderCompareHtml(apart);
    expect(text).toContain("Not comparable</h1>");
    expect(text).toContain("figures below are shown, not judged");
  });

  it("escapes what targets are called and what they said", () => {
    for (const hostile of hostileStrings) {
      const text = renderCompareHtml({
        ...compared,
        reason: hostile,
        base: { ...compared.base, target: hostile, baseUrl: hostile },
      });
      for (const markup of forbiddenMarkup) expect(text).not.toContain(markup);
      expect(text.match(/<script/g)).toHaveLength(1);
    }
  });
});

describe("renderCompareSummary", () => {
  it("reports the code that the command exits with, and the one that the gate would give", () => {
    expect(renderCompareSummary(compared, screen, 0).trimEnd().split("\n").at(-1)).toContain("(exit 0; with --gate it is 1)");
    expect(renderCompareSummary(compared, screen, 1).trimEnd().split("\n").at(-1)).toContain("(exit 1)");
  });

  it("ends with the verdict and stays within 80 columns", () => {
    const lines = renderCompareSummary(compared, screen).trimEnd().split("\n");
    expect(lines.at(-1)).toBe("✗ WORSE (exit 1)");
    expect(lines.at(-2)).toBe("p99 of TTFT rose by 35.6 %, and 2 verdicts newly fail.");
    expect(lines).toContain("differs  same-runtime: Node v20.19.0 against v20.20.2.");
    expect(lines).toContain("conformance: 1 newly failing, 1 fixed, 192 unchanged");
    expect(lines.find((line) => line.startsWith("✗ ttft p99 chat"))).toContain("+35.6 %");
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  });

  it("draws a change that is not counted unlike no change, with its whole reason beside it", () => {
    const reason =
      "smaller than the error of the instrument, 12.34 ms (p99), as the calibration of the newer run found it on this machine";
    const [metric] = compared.metrics;
    const odd = { ...metric!, verdict: "no detectable change" as const, reason };
    const goodput = { ...odd, metric: "good-fraction" as const, statistic: "fraction", endpoint: null, reason: null };
    const text = renderCompareSummary({ ...compared, metrics: [odd, goodput] }, screen);
    expect(text).toContain("~ ttft p99 chat");
    expect(text).toContain("= goodput");
    expect(text.replaceAll(/\s+/g, " ")).toContain(reason);
    const page = renderCompareHtml({ ...compared, metrics: [odd] });
    expect(page).toMatch(/too small to count.*smaller than the error/s);
  });

  it("keeps hostile names to one line each", () => {
    for (const hostile of hostileStrings) {
      const text = renderCompareSummary({ ...compared, reason: hostile, next: { ...compared.next, target: hostile } }, screen);
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    }
  });
});
