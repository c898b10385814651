import { describe, expect, it } from "vitest";
import { clip, clipStrings } from "../../src/report/escape/clip.ts";
import { csvCell, csvRow } from "../../src/report/escape/csv.ts";
import { githubData, githubProperty } from "../../src/report/escape/github.ts";
import { escapeHtml } from "../../src/report/escape/html.ts";
import { safeJson } from "../../src/report/escape/json.ts";
import { markdownBlock, markdownCode, markdownText } from "../../src/report/escape/markdown.ts";
import { prometheusLabel } from "../../src/report/escape/prometheus.ts";
import { displayWidth, fitWidth, terminalText } from "../../src/report/escape/terminal.ts";
import { showInvisible } from "../../src/report/escape/visible.ts";
import { escapeXml } from "../../src/report/escape/xml.ts";

describe("invisible characters", () => {
  it("become visible escapes", () => {
    expect(showInvisible("a\u0000b\u001b[31m\u202ec\ud800d\u{e0041}\u200b\n\t\r")).toBe(
      "a\\u0000b\\u001b[31m\\u202ec\\ud800d\\u{e0041}\\u200b\\n\\t\\r",
    );
  });

  it("keep line feeds and tabs only where lines are laid out", () => {
    expect(showInvisible("a\n\tb\r\n", { keepLines: true })).toBe("a\n\tb\\r\n");
  });

  it("leave letters, accents and emoji alone", () => {
    expect(showInvisible("naïve 名前 🎉 −12")).toBe("naïve 名前 🎉 −12");
  });
});

describe("clip", () => {
  it("says how much is missing and splits no surrogate pair", () => {
    expect(clip("abcdef", 4)).toBe("abcd… (2 more characters)");
    expect(clip("ab🎉cd", 3)).toBe("ab… (4 more characters)");
    expect(clip("abc", 3)).toBe("abc");
  });

  it("cuts every string of a value but the kept members", () => {
    expect(clipStrings({ a: "xxxx", keep: "yyyy", list: ["zzzz", 1, null] }, 2, new Set(["keep"]))).toEqual({
      a: "xx… (2 more characters)",
      keep: "yyyy",
      list: ["zz… (2 more characters)", 1, null],
    });
  });

  it("copies a member named __proto__ as data", () => {
    const copy = clipStrings(JSON.parse('{"__proto__":{"polluted":"yes"}}'), 100);
    expect(Object.keys(copy)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("escapers", () => {
  it("HTML: text and quoted attributes", () => {
    expect(escapeHtml(`<a b="c" d='e'>&\`\u0007`)).toBe("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;&#96;\\u0007");
  });

  it("XML: nothing that XML 1.0 forbids, line feeds as references", () => {
    expect(escapeXml("a\u0000\uffff]]>\n\"'")).toBe("a\\u0000\\uffff]]&gt;&#10;&quot;&apos;");
  });

  it("GitHub commands: exactly the escapes that the runner decodes", () => {
    expect(githubData("50% a\r\n::error::b")).toBe("50%25 a\\r%0A::error::b");
    expect(githubProperty("a,b:c\nd")).toBe("a%2Cb%3Ac%0Ad");
  });

  it("CSV: formulas become text, numbers stay", () => {
    expect(csvRow(["=1+1", "+x", " -2", "@a", -3.5, "a,b", 'say "x"', null])).toBe(
      `'=1+1,'+x,' -2,'@a,-3.5,"a,b","say ""x""",\r\n`,
    );
    expect(csvCell("two\nlines")).toBe("two\\nlines");
  });

  it("Markdown: no markup, mention or link survives", () => {
    expect(markdownText("<b> *x* [l](https://e.x) @me www.a.b a|b")).toBe(
      "&lt;b&gt; \\*x\\* \\[l\\](https&#58;//e.x) @<!-- -->me www&#46;a.b a\\|b",
    );
    expect(["# a", "- a", "1. a", "=== "].map(markdownText)).toEqual(["\\# a", "\\- a", "1\\. a", "\\=== "]);
    expect(markdownCode("a `` b")).toBe("```a `` b```");
    expect(markdownCode("`x`")).toBe("`` `x` ``");
    expect(markdownBlock("x\n````\ny", "sh")).toBe("`````sh\nx\n````\ny\n`````\n");
  });

  it("JSON: parses back to the same value and holds no control or direction character", () => {
    const value = { text: "\u009b31m\u202e\u2028</script>\ud800\u{e0041}", list: [1, null] };
    const text = safeJson(value);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toMatch(/^[\u0020-\u007e]*$/);
  });

  it("Prometheus labels: backslash, quote, line feed", () => {
    expect(prometheusLabel('a\\b"c\nd')).toBe('a\\\\b\\"c\\\\nd');
  });

  it("terminal: one harmless line of known width", () => {
    expect(terminalText("\u001b[2Jx\r\ny")).toBe("\\u001b[2Jx\\r\\ny");
    expect(displayWidth("名前e\u0301🎉")).toBe(7);
    expect(fitWidth("abcdefgh", 5)).toBe("abcd…");
    expect(displayWidth(fitWidth("名前名前名前", 7))).toBeLessThanOrEqual(7);
  });
});
