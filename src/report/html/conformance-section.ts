import { groupBy } from "../../core/group-by.ts";
import type { ConformanceResult, LeniencyEntry, RequirementResult, SuiteResult } from "../../core/result/conformance-result.ts";
import type { Verdict } from "../../core/result/verdict.ts";
import { countOf, formatCount } from "../text/format-number.ts";
import { suiteVerdictWords, verdictWords } from "../text/verdict-word.ts";
import { badge, exchangeLinks, fragment, section, table } from "./parts.ts";
import { html, nothing, type SafeHtml } from "../escape/safe-html.ts";
import { type MatrixCell, matrixConditions } from "../../core/result/conformance-matrix.ts";
import { type EndpointId, endpoints } from "../../core/exchange/endpoint.ts";

/** Verdict by suite, endpoint by condition, every requirement by section of the specification, and what the target does where it is silent. */
export function renderConformance(conformance: ConformanceResult | null, shown: ReadonlySet<number>): SafeHtml {
  if (conformance === null) return nothing;
  const asked = new Set(conformance.leniency.map((entry) => entry.requirement));
  return section({
    id: "conformance",
    title: "Conformance",
    fold: hasTrouble(conformance.requirements) ? null : foldWords(conformance.requirements),
    lead: "A suite is conformant only when every checkable row of it that is stated or implied passed, non-conformant when one failed, and incomplete otherwise. There is no score.",
    body: html`<div class="card">
        <h3>Suites</h3>
        ${suiteTable(conformance.suites)}
      </div>
      ${renderMatrix(conformance.matrix ?? [])}
      <div class="card">
        <header>
          <h3 id="requirements">Requirements by section</h3>
          <span class="sub">${countOf(conformance.requirements.length, "requirement")}, passes folded</span>
        </header>
        <div>${groupBySection(conformance.requirements).map(([name, rows]) => renderGroup(name, rows, { shown, asked }))}</div>
      </div>
      ${renderLeniency(conformance, shown)}`,
  });
}

function foldWords(rows: readonly RequirementResult[]): string {
  return `Suites, endpoints, and each of the ${countOf(rows.length, "requirement")}`;
}

/** Heads say which verdicts are in scope, as the counts of all outputs do. */
const columns = (Object.keys(verdictWords) as Verdict[]).map((verdict) => [verdict, verdictWords[verdict].word] as const);

function suiteTable(suites: readonly SuiteResult[]): SafeHtml {
  return table({
    caption: "Suites",
    head: ["Suite", "Verdict", ...columns.map(([, head]) => head)],
    figures: columns.map((_, index) => index + 2),
    filterable: true,
    rows: suites
      .filter((suite) => Object.values(suite.counts).some((level) => Object.keys(level).length > 0))
      .map((suite) => [
        suite.id,
        badge(suiteVerdictWords[suite.verdict]),
        ...columns.map(([verdict]) => {
          const count = Object.values(suite.counts).reduce((sum, level) => sum + (level[verdict] ?? 0), 0);
          return count === 0 ? "–" : formatCount(count);
        }),
      ]),
  });
}

function groupBySection(rows: readonly RequirementResult[]): readonly (readonly [string, readonly RequirementResult[]])[] {
  return [...groupBy(rows, ({ section }) => section)].sort(([, a], [, b]) => Number(hasTrouble(b)) - Number(hasTrouble(a)));
}

function hasTrouble(rows: readonly RequirementResult[]): boolean {
  return rows.some((row) => row.verdict === "fail");
}

/** The place of rows with this verdict; one that is missing does not compile. */
const places: Readonly<Record<Verdict, number>> = {
  fail: 0,
  advisory: 1,
  inconclusive: 2,
  untested: 3,
  observed: 4,
  "not-applicable": 5,
  excluded: 6,
  pass: 7,
};
const order: readonly Verdict[] = (Object.keys(places) as Verdict[]).sort((a, b) => places[a] - places[b]);

function renderGroup(name: string, rows: readonly RequirementResult[], links: RowLinks): SafeHtml {
  const sorted = [...rows].sort((a, b) => places[a.verdict] - places[b.verdict]);
  const passed = sorted.filter((row) => row.verdict === "pass");
  const unselected = sorted.filter((row) => row.untested === "not-selected");
  const others = sorted.filter((row) => row.verdict !== "pass" && !unselected.includes(row));
  const tally = order.flatMap((verdict) => {
    const count = rows.filter((row) => row.verdict === verdict).length;
    return count === 0 ? [] : [badge(verdictWords[verdict], `${count} ${verdictWords[verdict].word}`)];
  });
  return html`<details class="group" ${hasTrouble(rows) && html` open`}>
    <summary><span class="grow">${name}</span><span>${tally.map((item) => html`${item} `)}</span></summary>
    ${others.map((row) => renderRequirement(row, links))}
    ${unselected.length > 0 && html`<p class="sub">Not selected for this run: ${unselected.map(({ id }, index) => html`${index > 0 && ", "}<span class="id">${id}</span>`)}.</p>`}
    ${
      passed.length > 0 &&
      (others.length > 0
        ? html`<details class="group">
            <summary><span class="grow sub">${countOf(passed.length, "requirement")} passed</span></summary>
            ${passed.map((row) => renderRequirement(row, links))}
          </details>`
        : passed.map((row) => renderRequirement(row, links)))
    }
  </details> `;
}

interface RowLinks {
  /** Exchanges that the report holds. */
  readonly shown: ReadonlySet<number>;
  /** Requirements whose answers stand under "Where the specification is silent" and are not shown twice. */
  readonly asked: ReadonlySet<string>;
}

function renderRequirement(row: RequirementResult, { shown, asked }: RowLinks): SafeHtml {
  const isAbove = row.verdict === "observed" && asked.has(row.id);
  const tally =
    row.violated > 0
      ? `${row.violated} of ${row.considered} violated`
      : row.considered > 0
        ? `judged on ${row.considered}`
        : null;
  const notes = [
    row.level.toUpperCase(),
    tally,
    isAbove ? null : row.reason,
    row.reading === null ? null : `reading ${row.reading}`,
  ].filter((part) => part !== null);
  const word = verdictWords[row.verdict];
  const loud = row.verdict === "fail" || row.verdict === "advisory";
  return html`<div id="${fragment("r-", row.id)}">
    <b>${row.id}</b><i>${loud ? badge(word) : `${word.glyph} ${word.word}`}</i>
    <p>
      ${row.text}
      <small>${notes.join(" · ")}</small
      >${row.findings.map((id) => html` <a class="id" href="#${fragment("", id)}">${id}</a>`)}${row.verdict !== "pass" && row.exchanges.some((seq) => shown.has(seq)) && html` ${exchangeLinks(row.exchanges, shown)}`}
    </p>
  </div> `;
}

/** Folded by suite; answers to one question stand together. */
function renderLeniency({ leniency, requirements }: ConformanceResult, shown: ReadonlySet<number>): SafeHtml {
  if (leniency.length === 0) return nothing;
  const suites = new Map(requirements.map((row) => [row.id, row.suite]));
  const groups = [...groupBy(leniency, ({ requirement }) => suites.get(requirement) ?? "other")].map(
    ([suite, entries]) => [suite, groupBy(entries, ({ question }) => question)] as const,
  );
  const few = leniency.length <= 12;
  return html`<div class="card">
    <header>
      <h3 id="leniency">Where the specification is silent</h3>
      <span class="sub">${countOf(leniency.length, "answer")} recorded, never failed</span>
    </header>
    <div>
      ${groups.map(
        ([suite, questions]) =>
          html`<details class="group" ${few && html` open`}>
            <summary>
              <span class="grow">${suite}</span><span class="sub">${countOf(questions.size, "open question")}</span>
            </summary>
            ${[...questions].map(([question, entries]) => renderQuestion(question, entries, shown))}
          </details> `,
      )}
    </div>
  </div>`;
}

function renderQuestion(question: string, entries: readonly LeniencyEntry[], shown: ReadonlySet<number>): SafeHtml {
  return html`<div class="ask">
    <b>${entries[0]?.requirement}</b>
    <p>${question}</p>
    <p>
      ${entries.map((entry, index) => html`${index > 0 && html`<br />`}<strong>${entry.answer}</strong> ${exchangeLinks(entry.exchanges.slice(0, 2), shown)}`)}
    </p>
  </div> `;
}

/** Endpoints by status that was seen: glyph and number in every cell, a link where something is wrong. */
function renderMatrix(cells: readonly MatrixCell[]): SafeHtml {
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
