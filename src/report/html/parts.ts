import { countOf } from "../text/format-number.ts";
import type { VerdictWord } from "../text/verdict-word.ts";
import { html, type Insertable, type SafeHtml } from "../escape/safe-html.ts";

/** Glyph and word in the tone of a verdict. */
export function badge(word: VerdictWord, text: string = word.word): SafeHtml {
  return html`<span class="badge tone-${word.tone}"><span aria-hidden="true">${word.glyph}</span>${text}</span>`;
}

export interface SectionParts {
  readonly id: string;
  readonly title: string;
  readonly lead?: Insertable;
  readonly body: Insertable;
  /** Stands in one line for lead and body, which are folded under it: nothing in them is to be acted on. */
  readonly fold?: string | null;
}

export function section({ id, title, lead, body, fold = null }: SectionParts): SafeHtml {
  const inside = html`${lead !== undefined && html`<p class="lead">${lead}</p>`} ${body}`;
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}${anchor(id, title)}</h2>
    ${
      fold === null
        ? inside
        : html`<details class="fold">
            <summary><span class="grow">${fold}</span></summary>
            <div class="stack">${inside}</div>
          </details>`
    }
  </section> `;
}

export function anchor(id: string, name: string): SafeHtml {
  return html`<a class="anchor" href="#${id}" aria-label="Link to ${name}">#</a>`;
}

export function facts(entries: readonly (readonly [term: string, value: Insertable])[]): SafeHtml {
  return html`<dl class="facts">
    ${entries.map(
      ([term, value]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Columns of numbers align right, by one class of the table rather than of each cell. The first cell of a row names it. */
export interface TableParts {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Insertable[])[];
  /** Columns, from 0, that hold figures. */
  readonly figures?: readonly number[];
  readonly filterable?: boolean;
  /** Rows in all, where `rows` holds only the first of them. */
  readonly total?: number;
}

export function table({ caption, head, rows, figures = [], filterable = false }: TableParts): SafeHtml {
  const cell = (value: Insertable, column: number): SafeHtml => {
    return column === 0 ? html`<th scope="row">${value}</th>` : html`<td>${value}</td>`;
  };
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}">
    <table${figures.length > 0 && html` class="${figures.map((column) => `n${column + 1}`).join(" ")}"`}>
      <thead>
        <tr>
          ${head.map((title) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => html`<tr${filterable && html` data-row`}>${row.map(cell)}</tr>\n`)}
      </tbody>
    </table>
  </div>`;
}

export interface FigureParts {
  /** The finding of the chart, as a sentence with the numbers. */
  readonly finding: string;
  readonly detail?: string;
  readonly chart: SafeHtml;
  readonly key?: SafeHtml;
  readonly data: TableParts | null;
}

/** The table beneath a chart holds at most this many rows; all are in result.json. */
export const maxTableRows = 10;

export function figure({ finding, detail, chart, key, data }: FigureParts): SafeHtml {
  return html`<figure>
    <figcaption>${finding}${detail !== undefined && html`<small>${detail}</small>`}</figcaption>
    ${key}
    <div class="scroll" tabindex="0" role="group" aria-label="Chart">${chart}</div>
    ${data !== null && dataTable(data)}
  </figure> `;
}

function dataTable(parts: TableParts): SafeHtml {
  const total = parts.total ?? parts.rows.length;
  const rows = parts.rows.slice(0, maxTableRows);
  const title =
    rows.length < total ? `Data: first ${rows.length} of ${total} rows, all in result.json` : `Data: ${countOf(total, "row")}`;
  return html`<details class="chart-data">
    <summary>${title}</summary>
    ${table({ ...parts, rows })}
  </details>`;
}

/** Links to exchanges of the evidence section; those that the report does not hold stay plain; `further` are not listed at all. */
export function exchangeLinks(seqs: readonly number[], shown: ReadonlySet<number>, further = 0): SafeHtml {
  const unlisted = Math.max(0, seqs.length - 12) + further;
  return html`${seqs.slice(0, 12).map((seq) => (shown.has(seq) ? html`<a class="id" href="#x${seq}">#${seq}</a> ` : `#${seq} `))}${unlisted > 0 && `and ${unlisted} more in evidence.ndjson`}`;
}

/** An id of ours as a fragment: nothing but word characters, dots and dashes. */
export function fragment(prefix: string, id: string): string {
  return prefix + id.replace(/[^A-Za-z0-9._-]/g, "-").slice(0, 120);
}
