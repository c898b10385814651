import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { formatCount } from "../text/format-number.ts";
import { limitCheckWords } from "../text/limit-check-words.ts";
import { verdictWords } from "../text/verdict-word.ts";
import { badge, table } from "./parts.ts";
import { html, nothing, type SafeHtml } from "./safe-html.ts";

/** Which checks stood behind the gates on limits of a profile; one line where nobody asked and none failed. */
export function renderLimitChecks({ title, gates, limitChecks }: LoadProfileResult): SafeHtml {
  const asked = gates.some(({ kind }) => kind === "limits");
  const checks = limitChecks ?? [];
  if (limitChecks == null || (checks.length === 0 && !asked)) return nothing;
  if (checks.length === 0) return html`<p class="note">No limit check found in this traffic what it needs to judge.</p>`;
  if (!asked && checks.every(({ verdict }) => verdict !== "fail")) {
    return html`<p class="note">Limit checks over this traffic: ${limitCheckWords(checks)}; each of them in result.json.</p>`;
  }
  const order = ["fail", "advisory", "pass", "observed", "inconclusive", "untested", "excluded"];
  const rows = checks
    .toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
    .map((check) => [
      html`<span class="id">${check.id}</span> ${check.title}`,
      check.policy,
      formatCount(check.considered),
      formatCount(check.needed),
      check.message,
      badge(verdictWords[check.verdict]),
    ]);
  return html`<details class="group" open>
    <summary><span class="grow">Limit checks over this traffic</span><span class="sub">${limitCheckWords(checks)}</span></summary>
    ${table({
      caption: `Limit checks over the traffic of ${title}`,
      head: ["Check", "Policy", "Considered", "Needed", "What it says", "Verdict"],
      figures: [2, 3],
      filterable: true,
      rows,
    })}
  </details> `;
}
