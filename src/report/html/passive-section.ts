import { groupBy } from "../../core/group-by.ts";
import type { AccountEntry, OperationAccount } from "../../core/result/operation-account.ts";
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
    fold:
      violations.length > 0
        ? null
        : `${passive.responsesJudged} of ${passive.responsesSeen} responses judged in passing, none violated anything`,
    lead: `${passive.responsesJudged} of ${passive.responsesSeen} responses were judged in passing, those under load included: headers, schemas, error shapes and usage.`,
    body: html`${accountTable(passive.account)}${
      violations.length === 0
        ? html`<p class="sub">No response violated anything.</p>`
        : html`<div class="card">
            ${violations.length <= maxFlat ? violationTable(violations, shown) : foldedViolations(violations, shown)}${passive.violations.length > maxRows && html`<p class="note">${countOf(passive.violations.length - maxRows, "more violation")} in result.json.</p>`}
          </div>`
    }`,
  });
}

/** The fate of every request: it is judged, could not be read, or is excused by name. */
function accountTable(account: readonly OperationAccount[]): SafeHtml {
  const entries = (all: readonly AccountEntry[]): string =>
    all.length === 0 ? "0" : all.map(({ reason, count }) => `${count} ${reason}`).join("; ");
  return html`<div class="card">
    ${table({
      caption: "What became of every request",
      head: ["Stage", "Operation", "Sent", "Judged", "Unreadable", "Excused"],
      figures: [2, 3],
      rows: account.map(({ stage, operation, sent, judged, unreadable, excused }) => [
        stage,
        operation,
        String(sent),
        String(judged),
        entries(unreadable),
        entries(excused),
      ]),
    })}
  </div>`;
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
    caption: `Violations found by passive checks${violations.length > 0 ? `, first of ${violations[0]?.requirement ?? ""}` : ""}`,
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
