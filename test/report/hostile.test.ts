import { describe, expect, it } from "vitest";
import type { Result } from "../../src/core/result/result.ts";
import { renderHtml } from "../../src/report/html/render-html.ts";
import type { ReporterName } from "../../src/report/reporters/reporter.ts";
import { reporters } from "../../src/report/reporters/reporters.ts";
import { renderAnnotations } from "../../src/report/reporters/github.ts";
import { renderJunit } from "../../src/report/reporters/junit.ts";
import { createScreen } from "../../src/report/terminal/screen.ts";
import { renderSummary } from "../../src/report/terminal/summary.ts";
import { forbiddenMarkup, longLine } from "../make/hostile/hostile-strings.ts";
import { readXml } from "./read-xml.ts";
import { buildSample } from "../make/sample-result/sample-result.ts";

const { result, evidence } = buildSample({ hostile: true });

function textOf(name: ReporterName, of: Result = result): string {
  const rendered = reporters[name].render(of, evidence);
  return typeof rendered === "string" ? rendered : rendered.map((file) => file.text).join("");
}

const names = Object.keys(reporters) as ReporterName[];

describe("hostile bytes in every free text", () => {
  it.each(names)("%s: no control, direction, zero-width or lone surrogate character", (name) => {
    const own = textOf(name).replace(/[\n\t]|\r\n/g, "");
    expect(own).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });

  it.each(["html", "junit", "json", "ndjson", "ctrf"] as const)("%s: no markup of the target", (name) => {
    const text = textOf(name);
    for (const markup of forbiddenMarkup) expect(text).not.toContain(markup);
  });

  it("html: one script, one style, no style attribute, no handler, no URL to follow", () => {
    const whole = textOf("html");
    expect(whole.match(/<script/g)).toHaveLength(1);
    expect(whole.match(/<style/g)).toHaveLength(1);
    const page = whole.replace(/<(script|style)>[\s\S]*?<\/\1>/g, "").replace(/="[^"#]*"/g, '=""');
    expect(page).not.toMatch(/<[^>]+\s(?:style|on\w+|src|action|formaction|xlink:href)=""/);
    expect([...page.matchAll(/href="([^"]*)"/g)].filter(([, target]) => !/^#[\w.-]*$/.test(target ?? ""))).toEqual([]);
  });

  it("html: ids are unique and every fragment link has its target", () => {
    const page = textOf("html");
    const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id ?? "");
    expect(new Set(ids).size).toBe(ids.length);
    const missing = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id ?? "").filter((id) => !ids.includes(id));
    expect([...new Set(missing)]).toEqual([]);
  });

  it("junit: still well-formed XML that holds the text, made visible", () => {
    const xml = readXml(renderJunit(result));
    const failure = xml.children.flatMap((suite) => suite.children).find((one) => one.children[0]?.name === "failure");
    expect(failure?.children[0]?.text).toContain("F00");
    expect(xml.children.length).toBeGreaterThan(5);
  });

  it("github: exactly our commands", () => {
    const lines = renderAnnotations(result).trimEnd().split("\n");
    expect(lines).toHaveLength(7);
    for (const line of lines) expect(line).toMatch(/^::(?:error|warning) title=[^:,]*::/);
  });

  it("markdown: no HTML but ours, no open fence", () => {
    const text = textOf("markdown");
    const tags = [...text.matchAll(/<(?!!-- -->)[a-z/!][^>]*>/gi)].map(([tag]) => tag);
    const outsideCode = text.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "");
    expect([...outsideCode.matchAll(/<(?!!-- -->)[a-z/!][^>]*>/gi)].map(([tag]) => tag)).toEqual([
      "<details>",
      "<summary>",
      "</summary>",
      "</details>",
      "<details>",
      "<summary>",
      "</summary>",
      "</details>",
    ]);
    expect(tags.length).toBeGreaterThanOrEqual(4);
    expect(outsideCode).not.toMatch(/https?:\/\/evil|(?<!\\)\[link\]/);
  });

  it("csv: no cell that a spreadsheet would evaluate", () => {
    for (const cell of textOf("csv").split(/[,\n]/)) expect(cell).not.toMatch(/^"?[=+@]|^"?-\D/);
  });

  it("terminal: in colour nothing but our own escape sequences", () => {
    const screen = createScreen({
      stream: { isTTY: true, columns: 80, write: () => true },
      env: { LANG: "C.UTF-8", FORCE_COLOR: "1" },
    });
    const text = renderSummary(result, screen);
    const esc = String.fromCharCode(27);
    const left = text.replaceAll(new RegExp(`${esc}\\[\\d+m`, "g"), "").replaceAll("\n", "");
    expect(left).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    expect(text).toContain(esc);
  });
});

describe("two megabytes in one line", () => {
  const flooded: Result = {
    ...result,
    reason: longLine,
    findings: result.findings.map((finding) => ({ ...finding, message: longLine, observed: longLine, curl: longLine })),
  };

  it.each(["html", "junit", "ctrf", "markdown", "github", "terminal"] as const)("%s: is cut and says so", (name) => {
    const text = textOf(name, flooded);
    expect(text.length).toBeLessThan(name === "html" ? 2_000_000 : 1_500_000);
    expect(text).toMatch(name === "terminal" ? /…/ : /more characters/);
  });

  it("cuts bodies in the evidence", () => {
    const bodies = evidence.map((exchange) => ({
      ...exchange,
      request: {
        ...exchange.request,
        path: `/${longLine}`,
        body: { bytes: longLine.length, sha256: "", text: longLine, truncated: false },
      },
    }));
    const page = renderHtml(buildSample().result, bodies);
    expect(Buffer.byteLength(page)).toBeLessThan(700_000);
    expect(page).toContain("more characters");
  });
});
