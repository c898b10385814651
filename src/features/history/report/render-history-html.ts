import { clipStrings } from "../../../report/escape/clip.ts";
import { html, nothing, type SafeHtml } from "../../../report/escape/safe-html.ts";
import { renderPage } from "../../../report/html/page.ts";
import { badge, figure, section, table } from "../../../report/html/parts.ts";
import { renderSide, type SideEntry } from "../../../report/html/side.ts";
import { listFailures } from "../../../report/list-failures.ts";
import { countOf, formatDuration, formatNumber } from "../../../report/text/format-number.ts";
import { stageCounts } from "../../../report/text/stage-counts.ts";
import { runVerdictWord, type VerdictWord, verdictWords } from "../../../report/text/verdict-word.ts";
import type { History } from "../runs/history.ts";
import type { FollowedFinding, Presence } from "../runs/follow-findings.ts";
import type { KeptRun } from "../../../command/kept-run.ts";
import { scaleLinear } from "d3-scale";
import { leftAxis } from "../../../report/charts/axes.ts";
import { line, path, px, svg, text } from "../../../report/charts/svg.ts";
import type { FollowedLatency } from "../runs/follow-latencies.ts";

const rowsShown = 200;
const cellsShown = 60;

const states: Readonly<Record<FollowedFinding["state"], VerdictWord>> = {
  new: { ...verdictWords.fail, word: "new" },
  flapping: { ...verdictWords.advisory, word: "flapping" },
  standing: { ...verdictWords.fail, word: "standing" },
  gone: { ...verdictWords.pass, word: "gone" },
};

/** One page over many runs of one target, newest last in every strip. Links lead to the reports beside it. */
export function renderHistoryHtml(full: History): string {
  const history = { ...full, findings: clipStrings(full.findings, 500) };
  const { runs, target } = history;
  const last = runs.at(-1);
  const word = last === undefined ? verdictWords.untested : runVerdictWord(last.result);
  const entries: readonly SideEntry[] = [
    { id: "verdict", title: "Verdicts" },
    { id: "findings", title: "Findings", failures: history.findings.filter(({ state }) => state !== "gone").length },
    { id: "latency", title: "Latency" },
    { id: "runs", title: "Runs and scope" },
  ];
  return renderPage(
    `${word.word}: ${target}, ${countOf(runs.length, "run")} · assay`,
    html`<a class="skip" href="#verdict">Skip to the verdicts</a>
      <div class="layout">
        ${renderSide("assay history", target, entries)}
        <main>${renderVerdicts(history)}${renderFindings(history)}${renderLatencies(history)}${renderRuns(history)}</main>
      </div>`,
  );
}

function renderVerdicts({ target, runs, findings, others, left, skipped }: History): SafeHtml {
  const last = runs.at(-1);
  if (last === undefined) return nothing;
  const word = runVerdictWord(last.result);
  const count = (state: FollowedFinding["state"]): number => findings.filter((each) => each.state === state).length;
  const beside = [
    others > 0 ? `${countOf(others, "run")} of other targets` : null,
    left > 0 ? countOf(left, "older run") : null,
    skipped.length > 0 ? `${countOf(skipped.length, "folder")} that cannot be read` : null,
  ].filter((part) => part !== null);
  return html`<header class="verdict-header" id="verdict">
    <div class="verdict tone-${word.tone}">
      <h1><span aria-hidden="true">${word.glyph}</span> ${word.word}</h1>
      <p class="why">${target}: ${last.result.reason}</p>
      <p class="exit">
        ${countOf(runs.length, "run")}, newest ${instantOf(last)}; findings: ${count("new")} new, ${count("flapping")} flapping,
        ${count("standing")} standing, ${count("gone")} gone${beside.length > 0 && html`; not shown: ${beside.join(", ")}`}.
      </p>
      <p class="strip">${runs.slice(-cellsShown).map(verdictCell)}</p>
    </div>
  </header>`;
}

function verdictCell(run: KeptRun): SafeHtml {
  const word = runVerdictWord(run.result);
  const label = `${instantOf(run)} ${word.word}${run.label === null ? "" : `, ${run.label}`}`;
  return html`<a class="cell tone-${word.tone}" href="${reportOf(run)}" title="${label}" aria-label="${label}"
    >${word.glyph}</a
  > `;
}

const presenceWords: Readonly<Record<Presence, readonly [glyph: string, tone: string]>> = {
  present: ["✗", "fail"],
  absent: ["✓", "pass"],
  unjudged: ["·", "plain"],
};

function renderFindings({ findings }: History): SafeHtml {
  if (findings.length === 0) return section({ id: "findings", title: "Findings", lead: "No run has a finding.", body: nothing });
  return section({
    id: "findings",
    title: "Findings",
    lead: "✗ the run shows it, ✓ the run judged the same and does not, · the run did not judge it. Oldest left.",
    body: html`<div class="card">
      ${table({
        caption: "Findings over the runs",
        head: ["Finding", "State", "Runs", "Since", "Last"],
        filterable: true,
        rows: findings.slice(0, rowsShown).map(({ id, finding, state, presence, first, last }) => [
          html`<span class="id">${id}</span>
            <div class="sub">${finding.message}</div>`,
          badge(states[state], finding.baselined ? `${states[state].word}, known` : states[state].word),
          html`<span
            class="strip"
            role="img"
            aria-label="${presence.filter((each) => each === "present").length} of ${presence.length} runs"
            >${presence.slice(-cellsShown).map((each) => html`<span class="tone-${presenceWords[each][1]}">${presenceWords[each][0]}</span>`)}</span
          >`,
          `run ${first + 1}`,
          `run ${last + 1}`,
        ]),
      })}
      ${findings.length > rowsShown && html`<p class="note">${countOf(findings.length - rowsShown, "more finding")} with --json.</p>`}
    </div>`,
  });
}

function renderLatencies({ latencies, runs }: History): SafeHtml {
  if (latencies.length === 0)
    return section({ id: "latency", title: "Latency", lead: "No run measured load validly.", body: nothing });
  const [first, last] = [runs[0], runs.at(-1)];
  const ends = [first === undefined ? "" : instantOf(first), last === undefined ? "" : instantOf(last)] as const;
  return section({
    id: "latency",
    title: "Latency",
    lead: "Of successes in valid profiles of the same content. Bars are 95 % intervals: runs whose bars overlap do not differ by what was measured.",
    body: latencies.slice(0, 24).map((latency) => {
      const newest = latency.points.findLast((point) => point !== null);
      const title = `${latency.profile}: p${latency.percentile} of ${latency.metric} of ${latency.endpoint}`;
      const interval =
        newest?.low == null || newest.high === null ? "" : ` (${formatNumber(newest.low)} to ${formatNumber(newest.high)})`;
      return figure({
        finding: `${title}: ${formatNumber(newest?.value)} ms${interval} in the newest run that measured it.`,
        chart: drawIntervals(latency, title, ends),
        data: null,
      });
    }),
  });
}

function renderRuns({ runs }: History): SafeHtml {
  return section({
    id: "runs",
    title: "Runs and scope",
    lead: "Newest first. A run that judges less than the one before it proves less: the change stands beside its count.",
    body: html`<div class="card">
      ${table({
        caption: "Runs",
        head: ["Run", "Verdict", "Failures", "Label", "Requirements", "Change", "Length", "assay"],
        figures: [2, 5],
        filterable: true,
        rows: runs
          .map((run, index) => {
            const word = runVerdictWord(run.result);
            const judged = run.result.scope?.judged ?? null;
            const before = runs[index - 1]?.result.scope?.judged ?? null;
            const change =
              judged === null || before === null || judged === before
                ? "–"
                : `${judged > before ? "+" : "−"}${Math.abs(judged - before)}`;
            return [
              html`<a href="${reportOf(run)}">${index + 1}</a> ${instantOf(run)}`,
              badge(word),
              String(listFailures(run.result).length),
              run.label ?? "–",
              stageCounts(run.result).conformance ?? "–",
              change,
              formatDuration(run.result.durationMs),
              run.result.tool.version,
            ];
          })
          .toReversed()
          .slice(0, rowsShown),
      })}
    </div>`,
  });
}

function instantOf({ result }: KeptRun): string {
  return result.startedAt.replace("T", " ").replace(/:\d\d(?:\.\d+)?Z$/, "Z");
}

/** The report beside the page; each part of the path is one of a link. */
function reportOf({ path }: KeptRun): string {
  return `./${path.split("/").map(encodeURIComponent).join("/")}/report.html`;
}

/** A dot a run with its 95 % interval; nothing where nothing was measured. `ends`: names of the first and of the last run. */
function drawIntervals({ points }: FollowedLatency, title: string, ends: readonly [first: string, last: string]): SafeHtml {
  const area = { left: 86, right: 984, top: 24, bottom: 150 };
  const most = Math.max(1, ...points.map((point) => point?.high ?? point?.value ?? 0));
  const x = scaleLinear([-0.5, points.length - 0.5], [area.left, area.right]);
  const y = scaleLinear([0, most * 1.05], [area.bottom, area.top]).nice();
  const bars = points
    .map((point, index) =>
      point === null || point.low === null || point.high === null
        ? ""
        : `M${px(x(index))} ${px(y(point.low))}V${px(y(point.high))}m-3 0h6M${px(x(index) - 3)} ${px(y(point.low))}h6`,
    )
    .join("");
  const dots = points.map((point, index) => (point === null ? "" : `M${px(x(index))} ${px(y(point.value ?? 0))}h0`)).join("");
  return svg({
    height: 176,
    title,
    description: `${points.filter((point) => point !== null).length} of ${points.length} runs measured it`,
    body: html`${leftAxis({ scale: y, area, label: "ms", format: (value) => formatNumber(value), count: 4 })}${line(area.left, area.bottom, area.right, area.bottom, "axis", 0.8)}${path(bars, "s-admit", 1.2)}<path
        d="${dots}"
        class="s-admit"
        stroke-width="7"
        stroke-linecap="round"
      />${text(area.left, area.bottom + 18, ends[0], { class: "t2" })}${text(area.right, area.bottom + 18, ends[1], { anchor: "end", class: "t2" })}`,
  });
}
