import type { Result } from "../../core/result/result.ts";
import { countOf } from "../text/format-number.ts";
import { scopeCaveat, waiverWords } from "../text/scope-words.ts";
import { fragment, section, table } from "./parts.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";

const maxRows = 60;

/** Whether there is anything to report: rows that are lacking, waived, required or no longer judged. */
export function hasScopeSection({ scope }: Pick<Result, "scope">): boolean {
  if (scope === null) return false;
  return [scope.missing, scope.waived, scope.open, scope.unmet, scope.lost].some((list) => list.length > 0);
}

/** The requirements outside the verdict, and the members that would bring them into it. */
export function renderScope(result: Result): SafeHtml {
  const { scope } = result;
  if (scope === null || !hasScopeSection(result)) return html``;
  const { missing, waived, open, unmet, lost, yaml } = scope;
  const link = (id: string): SafeHtml => html`<a class="id" href="#${fragment("r-", id)}">${id}</a> `;
  const gaps = [
    ...open.map(({ id, reason }) => html`<li>${link(id)} is inconclusive: ${reason}</li>`),
    ...unmet.map(
      ({ entry, requirements }) =>
        html`<li>
          <code>${entry}</code> is required and has no verdict:
          ${requirements.slice(0, 12).map(link)}${requirements.length > 12 && `and ${requirements.length - 12} more`}
        </li>`,
    ),
    ...lost.map(({ id, reason }) => html`<li><code>${id}</code>: ${reason}</li>`),
  ];
  return section({
    id: "scope",
    title: "To complete this verdict",
    lead: scopeCaveat(scope) ?? "Everything that was selected is in scope.",
    body: html`${
      gaps.length > 0 &&
      html`<div class="card">
        <h3>Inconclusive in scope</h3>
        <ul>
          ${gaps.slice(0, maxRows)}
        </ul>
        ${gaps.length > maxRows && html`<p class="note">${gaps.length - maxRows} more are in result.json.</p>`}
      </div>`
    }
    ${
      missing.length > 0 &&
      html`<div class="card">
        <h3>Untested: the manifest does not supply</h3>
        ${table({
          caption: "Members of the manifest that are missing",
          head: ["Member", "For", "What it is"],
          figures: [1],
          rows: missing
            .slice(0, maxRows)
            .map(({ member, what, requirements }) => [
              html`<code>${member}</code>`,
              countOf(requirements.length, "requirement"),
              what,
            ]),
        })}
        ${
          yaml !== null &&
          html`<h3>For assay.config.yaml</h3>
            <pre data-copy="Copy YAML">${yaml.trimEnd()}</pre>`
        }
      </div>`
    }
    ${
      waived.length > 0 &&
      html`<div class="card">
        <h3>Waived</h3>
        <ul>
          ${waived.map((entry) => html`<li>${waiverWords(entry)}</li>`)}
        </ul>
      </div>`
    }`,
  });
}
