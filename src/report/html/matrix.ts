import { type MatrixCell, matrixConditions } from "../../core/result/conformance-matrix.ts";
import { type EndpointId, endpoints } from "../../core/exchange/endpoint.ts";
import { verdictWords } from "../text/verdict-word.ts";
import { fragment } from "./parts.ts";
import { html, nothing, type SafeHtml } from "./safe-html.ts";

/** Endpoints by status that was seen: glyph and number in every cell, a link where something is wrong. */
export function renderMatrix(cells: readonly MatrixCell[]): SafeHtml {
  if (cells.length === 0) return nothing;
  const conditions = matrixConditions.filter((condition) => cells.some((cell) => cell.condition === condition));
  const rows = Object.keys(endpoints).filter((endpoint) => cells.some((cell) => cell.endpoint === endpoint)) as EndpointId[];
  return html`<div class="card">
    <header>
      <h3 id="matrix">Endpoints by status</h3>
      <span class="sub">requirements judged on the answers of each kind; what is violated is linked; · not seen</span>
    </header>
    <div class="scroll" tabindex="0" role="group" aria-label="Endpoints by status">
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">Endpoint</th>
            ${conditions.map((condition) => html`<th scope="col">${condition}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (endpoint) =>
              html`<tr data-row>
                <th scope="row">${endpoints[endpoint].method} <code>${endpoints[endpoint].path}</code></th>
                ${conditions.map((condition) => html`<td>${renderCell(cells.find((cell) => cell.endpoint === endpoint && cell.condition === condition))}</td>`)}
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
  </div>`;
}

function renderCell(cell: MatrixCell | undefined): SafeHtml {
  if (cell === undefined) return html`·`;
  const word = verdictWords[cell.verdict];
  const wrong = cell.violated[0];
  const figure = wrong === undefined ? `${cell.requirements}` : `${cell.violated.length} of ${cell.requirements}`;
  const label = `${word.word}, ${figure} requirements${wrong === undefined ? " judged" : " violated"}, on ${cell.exchanges} exchanges`;
  const inside = `${word.glyph} ${figure}`;
  return wrong === undefined
    ? html`<span class="cell tone-${word.tone}" role="img" title="${label}">${inside}</span>`
    : html`<a class="cell tone-${word.tone}" href="#${fragment("r-", wrong)}" title="${label}" aria-label="${label}"
        >${inside}</a
      >`;
}
