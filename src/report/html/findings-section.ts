import type { Finding } from "../../core/result/finding.ts";
import type { Result } from "../../core/result/result.ts";
import { listFailures } from "../list-failures.ts";
import { orderFindings } from "../order-findings.ts";
import { otherForms } from "../text/finding-words.ts";
import { countOf } from "../text/format-number.ts";
import { verdictWords } from "../text/verdict-word.ts";
import { anchor, badge, exchangeLinks, fragment, section } from "./parts.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";

/** Findings in full; beyond this only their sentences. */
const maxFull = 150;
/** Failures that stand open; the others show their sentence. */
const maxOpen = 12;
const maxListed = 600;

/** Failures open, advisories and known failures folded. */
export function renderFindings(result: Result, shown: ReadonlySet<number>): SafeHtml {
  const ordered = orderFindings(result.findings);
  const full = ordered.slice(0, maxFull);
  const listed = ordered.slice(maxFull, maxListed);
  const failures = listFailures(result).length;
  const known = ordered.filter((finding) => finding.baselined).length;
  const advisories = ordered.length - failures - known;
  return section({
    id: "findings",
    title: "Findings",
    lead: `${countOf(failures, "failure")}, ${countOf(advisories, "advisory", "advisories")}${known > 0 ? `, ${known} known and listed in the baseline` : ""}. Each with what was expected, what was seen, and how to reproduce it.`,
    body: html`<div class="stack">${full.map((finding, position) => renderFinding(finding, position, shown))}</div>
      ${
        listed.length > 0 &&
        html`<div class="card">
          <h3>Further findings</h3>
          <ul>
            ${listed.map((finding) => html`<li data-row id="${fragment("", finding.id)}"><span class="id">${finding.id}</span> ${finding.message}</li>`)}
          </ul>
        </div>`
      }
      ${ordered.length > maxListed && html`<p class="note">${ordered.length - maxListed} more findings are in result.json.</p>`}`,
  });
}

/** The other requests that show it; nothing where all are the same. */
function renderForms(finding: Finding, shown: ReadonlySet<number>): SafeHtml | false {
  const others = otherForms(finding);
  if (others.length === 0) return false;
  return html`<details class="forms">
    <summary>${countOf(others.length, "other form")} of it</summary>
    <ul>
      ${others.map(
        ({ sent, observed, exchange, count }) =>
          html`<li>
            <code>${sent}</code>: ${observed}${count > 1 && html`, ${count} times`}
            ${exchange > 0 && exchangeLinks([exchange], shown)}
          </li>`,
      )}
    </ul>
  </details>`;
}

function renderFinding(finding: Finding, position: number, shown: ReadonlySet<number>): SafeHtml {
  const word = verdictWords[finding.verdict];
  const id = fragment("", finding.id);
  const open = position < maxOpen && finding.verdict === "fail" && !finding.baselined;
  return html`<details class="finding tone-${word.tone}" id="${id}" data-row${open && html` open`}>
    <summary>
      <span class="grow">${finding.message}</span>${badge(word, finding.baselined ? "known" : word.word)}<span class="id sub"
        >${finding.id}</span
      >
    </summary>
    <div class="inside">
      <p class="sub">
        ${finding.level !== null && html`<strong>${finding.level.toUpperCase()}</strong> · `}${
          finding.requirement !== null &&
          html`<a class="id" href="#${fragment("r-", finding.requirement)}">${finding.requirement}</a>
            · `
        }check
        <code>${finding.check}</code
        >${finding.spec !== null && html` · specification: ${finding.spec}`}${anchor(id, `finding ${finding.id}`)}
      </p>
      <div class="pair">
        ${
          finding.sent !== null &&
          html`<div>
            <h3>Sent</h3>
            <pre>${finding.sent}</pre>
          </div>`
        }
        <div>
          <h3>Expected</h3>
          <pre>${finding.expected}</pre>
        </div>
        <div>
          <h3>Observed</h3>
          <pre>${finding.observed}</pre>
        </div>
      </div>
      ${finding.also.length > 0 && html`<p class="sub">Also violates ${finding.also.map((id) => html`<a class="id" href="#${fragment("r-", id)}">${id}</a> `)}</p>`}
      ${renderForms(finding, shown)}
      ${
        finding.curl !== null &&
        html`<div class="again">
          <h3>Reproduce</h3>
          <pre data-copy="Copy as curl">${finding.curl}</pre>
        </div>`
      }
      ${
        finding.exchanges.length > 0 && html`<p class="sub">Evidence ${exchangeLinks(finding.exchanges, shown, finding.more)}</p>`
      }
      <p class="copies"></p>
    </div>
  </details> `;
}
