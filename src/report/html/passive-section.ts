import { groupBy } from "../../core/group-by.ts";
import type { PassiveViolation, Result } from "../../core/result/result.ts";
import { countOf, formatPercent } from "../text/format-number.ts";
import { exchangeLinks, section, table } from "./parts.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";

/** Up to this many violations stand in one open table; more are folded by requirement. */
const maxFlat = 10;
const maxRows = 300;

/** The result of passive validation of every response of every stage. */
export function renderPassive(result: Result, shown: ReadonlySet<number>): SafeHtml {
  const { passive } = result;
  const violations = passive.violations.slice(0, maxRows);
  return section({
    id: "passive",
    title: "Passive checks",
    lead: `${passive.responsesJudged} of ${passive.responsesSeen} responses were judged in passing, those under load included: headers, schemas, error shapes and usage.`,
    body:
      violations.length === 0
        ? html`<p class="sub">No response violated anything.</p>`
        : html`<div class="card">
            ${violations.length <= maxFlat ? violationTable(violations, shown) : foldedViolations(violations, shown)}${passive.violations.length > maxRows && html`<p class="note">${countOf(passive.violations.length - maxRows, "more violation")} in result.json.</p>`}
          </div>`,
  });
}

function foldedViolations(violations: readonly PassiveViolation[], shown: ReadonlySet<number>): SafeHtml {
  return html`<div>
    ${[...groupBy(violations, ({ requirement }) => requirement)].map(([requirement, group]) => {
      const count = group.reduce((sum, violation) => sum + violation.count, 0);
      return html`<details class="group">
        <summary>
          <span class="id">${requirement}</span><span class="grow">${group[0].message}</span
          ><span class="sub">${countOf(count, "response")}, ${countOf(group.length, "kind")}</span>
        </summary>
        ${violationTable(group, shown)}
      </details> `;
    })}
  </div>`;
}

function violationTable(violations: readonly PassiveViolation[], shown: ReadonlySet<number>): SafeHtml {
  return table({
    caption: `Violations seen in passing${violations.length > 0 ? `, first of ${violations[0]?.requirement ?? ""}` : ""}`,
    head: ["Responses", "Violation", "Row", "Count", "Share", "Stage", "Evidence"],
    figures: [3, 4],
    filterable: true,
    rows: violations.map((violation) => [
      violation.subject,
      violation.message,
      html`<span class="id">${violation.requirement}</span>`,
      `${violation.count} of ${violation.outOf}`,
      formatPercent(violation.outOf === 0 ? null : violation.count / violation.outOf),
      violation.stage,
      exchangeLinks(violation.exchanges.slice(0, 4), shown),
    ]),
  });
}
