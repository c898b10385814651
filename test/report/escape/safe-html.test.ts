import { describe, expect, it } from "vitest";
import { html, markupOf, type SafeHtml, trustMarkup } from "../../../src/report/escape/safe-html.ts";

describe("html template", () => {
  it("escapes text and keeps nested markup", () => {
    const inner = html`<b>${"<i>"}</b>`;
    expect(markupOf(html`<p title="${'"x"'}">${inner}${["a", html`<br />`, "&"]}${null}${false}${0}</p>`)).toBe(
      '<p title="&quot;x&quot;"><b>&lt;i&gt;</b>a<br/>&amp;0</p>',
    );
  });

  it("drops the indentation of its source, not that of its values", () => {
    expect(
      markupOf(
        html`<pre>${"a\n  b"}</pre>
          <p></p>`,
      ),
    ).toBe("<pre>a\n  b</pre>\n<p></p>");
  });

  it("refuses objects that pose as markup, as JSON of a target could", () => {
    const forged = JSON.parse('{"markup":"<script>1</script>"}') as unknown as SafeHtml;
    expect(() => html`<p>${forged}</p>`).toThrow("neither text nor markup");
  });

  it("inserts trusted text as it is", () => {
    expect(markupOf(html`${trustMarkup("<hr>")}`)).toBe("<hr>");
  });
});
