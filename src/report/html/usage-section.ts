import type { Result } from "../../core/result.ts";
import { formatPercent } from "../text/format-number.ts";
import { exchangeLinks, section, table } from "./parts.ts";
import { html, type SafeHtml } from "./safe-html.ts";

/** What passive validation saw on every response of every stage. */
export function renderPassive(result: Result, shown: ReadonlySet<number>): SafeHtml {
  const { passive } = result;
  return section({
    id: "passive",
    title: "Every response",
    lead: `${passive.responsesJudged} of ${passive.responsesSeen} responses were judged in passing, those under load included: headers, schemas, error shapes and usage.`,
    body:
      passive.violations.length === 0
        ? html`<p class="sub">No response violated anything.</p>`
        : html`<div class="card">
            ${table({
              caption: "Violations seen in passing",
              head: ["Responses", "Violation", "Row", "Count", "Share", "Stage", "Evidence"],
              figures: [3, 4],
              filterable: true,
              rows: passive.violations
                .slice(0, 200)
                .map((violation) => [
                  violation.subject,
                  violation.message,
                  html`<span class="id">${violation.requirement}</span>`,
                  `${violation.count} of ${violation.outOf}`,
                  formatPercent(violation.outOf === 0 ? null : violation.count / violation.outOf),
                  violation.stage,
                  exchangeLinks(violation.exchanges.slice(0, 4), shown),
                ]),
            })}
          </div>`,
  });
}
