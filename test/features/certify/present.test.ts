import { describe, expect, it } from "vitest";
import { renderEarl } from "../../../src/features/certify/present/render-earl.ts";
import {
  renderBadgeSvg,
  renderStatementHtml,
  renderStatementMarkdown,
} from "../../../src/features/certify/present/render-statement.ts";
import { statementReport, type Presentable } from "../../../src/features/certify/present/statement-report.ts";
import { renderHtml } from "../../../src/report/html/render-html.ts";
import { describeResult } from "../../../src/features/certify/statement/predicate.ts";
import { forbiddenMarkup, hostileStrings } from "../../make/hostile/hostile-strings.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

const text = hostileStrings.join(" ");
const predicate = describeResult({
  result: buildSample({ hostile: true }).result,
  product: { name: text, version: text },
  signedAt: text,
  toolSha256: text,
  catalogueSha256: text,
  challenge: null,
  contents: [],
});
const bundle: Presentable = {
  predicate,
  signer: { id: text, kind: text },
  trust: "self-asserted",
  rejudged: false,
  checked: [text],
  notChecked: [text],
  unmet: [text],
};

describe("a statement about a bundle of a stranger", () => {
  const report = statementReport(bundle);
  it.each([
    ["html", renderStatementHtml(report)],
    ["markdown", renderStatementMarkdown(report)],
    ["badge", renderBadgeSvg(report)],
    ["badge of a hostile word", renderBadgeSvg({ ...report, badge: { text, tone: "open" } })],
    ["report", renderHtml(buildSample({ hostile: true }).result, [], { bundle: report })],
    ["earl", renderEarl(bundle)],
  ])("%s: lets no byte of it act", (kind, rendered) => {
    expect(rendered.replace(/[\n\t]|\r\n/g, "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    if (kind === "earl") expect(JSON.parse(rendered)).toHaveProperty("@graph");
    else for (const markup of forbiddenMarkup) expect(rendered).not.toContain(markup);
  });

  it("shows a green badge for a conformant, challenged, judged run only", () => {
    const conformant = {
      ...predicate,
      verdict: { verdict: "passed", reason: "", exitCode: 0 },
      suites: [{ id: "chat", verdict: "conformant" }],
    } as const;
    const badge = (change: Partial<Presentable>): string =>
      statementReport({ ...bundle, predicate: conformant, unmet: [], ...change }).badge.tone;
    expect(badge({ trust: "challenged", rejudged: true })).toBe("good");
    expect(badge({ trust: "challenged" })).toBe("open");
    expect(badge({ rejudged: true })).toBe("open");
    expect(badge({ trust: "challenged", rejudged: true, unmet: ["too old"] })).toBe("bad");
    expect(
      badge({
        trust: "challenged",
        rejudged: true,
        predicate: { ...conformant, suites: [{ id: "chat", verdict: "incomplete" }] },
      }),
    ).toBe("open");
  });
});
