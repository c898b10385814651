import type {
  ComparabilityCheck,
  CompareResult,
  ComparedRun,
  EstimateWithInterval,
  MetricComparison,
  VerdictChange,
  VerdictDelta,
} from "../../../core/result/compare-result.ts";
import { clipStrings } from "../../../report/escape/clip.ts";
import { comparedFigure, compareVerdictWords, comparisonWord } from "./compare-words.ts";
import { countOf, formatNumber, formatPercent } from "../../../report/text/format-number.ts";
import { type VerdictWord, verdictWords } from "../../../report/text/verdict-word.ts";
import { renderPage } from "../../../report/html/page.ts";
import { badge, facts, section, table } from "../../../report/html/parts.ts";
import { html, type Insertable, type SafeHtml } from "../../../report/escape/safe-html.ts";
import { renderCurves } from "./curves-card.ts";
import { renderShifts } from "./shifts-card.ts";
import { renderSide, type SideEntry } from "../../../report/html/side.ts";
import { scaleLinear } from "d3-scale";
import { drawIntervalBar } from "../../../report/charts/interval-bar.ts";

const shiftTones: Readonly<Record<MetricComparison["verdict"], string>> = {
  better: "pass",
  worse: "fail",
  "no detectable change": "other",
  "too few": "other",
  "instrument unknown": "other",
};

/** Relative change of one metric: interval as a bar, estimate as a dot, no change as a tick. */
function drawShiftBar(metric: MetricComparison, range: number): SafeHtml {
  const { relative } = metric;
  if (relative === null) return html`<span class="sub">base is 0</span>`;
  return drawIntervalBar({
    label: `${metric.metric} ${metric.statistic}: ${formatPercent(relative.value)}, interval ${formatPercent(relative.low)} to ${formatPercent(relative.high)}`,
    tone: shiftTones[metric.verdict],
    x: scaleLinear([-range, range], [6, 214]).clamp(true),
    interval: [relative.low, relative.high],
    value: relative.value,
    tick: 0,
    tickWidth: 1.6,
  });
}

/** Rows of metrics and changes that the page holds; the rest is counted. */
const maxRows = 400;

const sections: readonly SideEntry[] = [
  { id: "verdict", title: "Verdict" },
  { id: "comparability", title: "Comparability" },
  { id: "metrics", title: "Metrics" },
  { id: "conformance", title: "Conformance" },
  { id: "limits", title: "Limits" },
  { id: "gates", title: "Gates" },
  { id: "coverage", title: "Coverage" },
  { id: "method", title: "Method" },
];

/**
 * The answer of `assay compare` as one self-contained page: first whether the runs may be compared, then what changed.
 * `exitCode`: the code that the command exits with, which without `--gate` is not that of the comparison.
 */
export function renderCompareHtml(full: CompareResult, exitCode: number = full.exitCode): string {
  const result = clipStrings(full, 1_000);
  const word = compareVerdictWords[result.verdict];
  return renderPage(
    `${word.word}: ${result.next.target} against ${result.base.target} · assay`,
    html`<a class="skip" href="#verdict">Skip to the verdict</a>
      <div class="layout">
        ${renderSide("assay compare", `${result.base.runId} → ${result.next.runId}`, sections)}
        <main>
          <header class="verdict-header" id="verdict">
            <div class="verdict tone-${word.tone}">
              <h1><span aria-hidden="true">${word.glyph}</span> ${word.word}</h1>
              <p class="why">${result.reason}</p>
              <p class="exit">Exit code ${exitCode}${exitCode !== result.exitCode && `, with --gate ${result.exitCode}`}</p>
            </div>
            <div class="tiles">${runTile("Base", result.base)}${runTile("Next", result.next)}</div>
          </header>
          ${renderComparability(result)}${renderMetrics(result)}${renderShifts(result)}${renderCurves(result)}
          ${renderDelta("conformance", "Conformance", result.conformance)}${renderDelta("limits", "Limits", result.limits)}${renderDelta("gates", "Gates", result.gates)}
          ${renderLostCoverage(result)} ${renderMethod(result)}
        </main>
      </div>`,
  );
}

function runTile(name: string, run: ComparedRun): SafeHtml {
  return html`<div class="tile">
    <span class="top">${name}: ${run.target}</span>
    <p><code>${run.baseUrl}</code></p>
    <p>${run.startedAt} · seed ${run.seed} · assay ${run.toolVersion}</p>
    <p><code>${run.runId}</code></p>
  </div>`;
}

const outcomeWords: Readonly<Record<ComparabilityCheck["outcome"], VerdictWord>> = {
  same: { ...verdictWords.pass, word: "same" },
  differs: { ...verdictWords.advisory, word: "differs" },
  unknown: { ...verdictWords.inconclusive, word: "unknown" },
};

function renderComparability({ comparability }: CompareResult): SafeHtml {
  const ordered = [...comparability.checks].sort(
    (a, b) => Number(a.outcome === "same") - Number(b.outcome === "same") || Number(b.blocking) - Number(a.blocking),
  );
  return section({
    id: "comparability",
    title: "Comparability",
    lead: comparability.comparable
      ? "The two runs may be compared. What differs between them is listed first."
      : "The two runs may not be compared: figures below are shown, not judged.",
    body: html`<div class="card">
      ${table({
        caption: "Comparability",
        head: ["Check", "Outcome", "Weight", "What it means"],
        filterable: true,
        rows: ordered.map((check) => [
          html`<code>${check.id}</code>`,
          badge(
            check.outcome !== "same" && check.blocking
              ? { ...verdictWords.fail, word: check.outcome }
              : outcomeWords[check.outcome],
          ),
          check.blocking ? "blocks" : "reported",
          check.message,
        ]),
      })}
    </div>`,
  });
}

function renderMetrics({ metrics, notCompared }: CompareResult): SafeHtml {
  const shown = metrics.slice(0, maxRows);
  const range = shown.reduce(
    (high, metric) => Math.max(high, Math.abs(metric.relative?.low ?? 0), Math.abs(metric.relative?.high ?? 0)),
    0.05,
  );
  return section({
    id: "metrics",
    title: "Metrics",
    lead: "Change from base to next with its interval. No detectable change: a change below the figure under Detectable may have stayed hidden.",
    body: html`${
      shown.length > 0 &&
      html`<div class="card">
        ${table({
          caption: "Metrics",
          head: ["Metric", "Base", "Next", "Change", "Chart", "Detectable", "Verdict"],
          figures: [1, 2, 3, 5],
          filterable: true,
          rows: shown.map((metric) => metricRow(metric, Math.min(range, 2))),
        })}${metrics.length > maxRows && html`<p class="note">${countOf(metrics.length - maxRows, "more comparison")} in the JSON document.</p>`}
      </div>`
    }
    ${
      notCompared.length > 0 &&
      html`<div class="card">
        <h3>Not compared</h3>
        ${table({ caption: "Not compared", head: ["Profile", "Metric", "Why"], rows: notCompared.slice(0, maxRows).map((entry) => [entry.profile, entry.metric, entry.reason]) })}
      </div>`
    }`,
  });
}

function metricRow(metric: MetricComparison, range: number): readonly Insertable[] {
  const value = ({ value: figure, low, high }: EstimateWithInterval): Insertable =>
    html`${formatNumber(figure)} ${metric.unit === "fraction" ? "" : metric.unit}
      <div class="sub">${formatNumber(low)}–${formatNumber(high)}</div>`;
  const { relative, difference } = metric;
  return [
    html`${comparedFigure(metric)}
      <div class="sub">${metric.profile}${metric.endpoint !== null && `, ${metric.endpoint}`}</div>`,
    value(metric.base),
    value(metric.next),
    relative === null
      ? html`${signed(formatNumber(difference.value), difference.value)}`
      : html`${signed(formatPercent(relative.value), relative.value)}
          <div class="sub">${formatPercent(relative.low)} to ${formatPercent(relative.high)}</div>`,
    drawShiftBar(metric, range),
    metric.minimumDetectableEffect === null ? "–" : `± ${formatPercent(metric.minimumDetectableEffect)}`,
    html`${badge(comparisonWord(metric))}${metric.reason !== null && html`<div class="sub why">${metric.reason}</div>`}`,
  ];
}

function signed(text: string, value: number): string {
  return value > 0 ? `+${text}` : text;
}

function renderDelta(id: string, title: string, delta: VerdictDelta): SafeHtml {
  const groups = [
    ["Newly failing", delta.broken],
    ["Fixed", delta.fixed],
    ["Changed otherwise", delta.changed],
  ] as const;
  const any = groups.some(([, changes]) => changes.length > 0);
  return section({
    id,
    title,
    lead: any
      ? `${delta.broken.length} newly failing, ${delta.fixed.length} fixed, ${delta.changed.length} changed otherwise, ${delta.unchanged} unchanged.`
      : `${countOf(delta.unchanged, "verdict")}, none changed.`,
    body: groups.map(
      ([name, changes]) =>
        changes.length > 0 &&
        html`<div class="card">
          <h3>${name}</h3>
          ${changeTable(`${title}: ${name}`, "What is said", changes)}
        </div>`,
    ),
  });
}

function changeTable(caption: string, reason: string, changes: readonly VerdictChange[]): SafeHtml {
  return table({
    caption,
    head: ["Id", "Base", "Next", reason],
    filterable: true,
    rows: changes
      .slice(0, maxRows)
      .map((change) => [
        html`<span class="id">${change.id}</span>`,
        change.base === null ? "absent" : badge(verdictWords[change.base]),
        change.next === null ? "absent" : badge(verdictWords[change.next]),
        change.message,
      ]),
  });
}

function renderLostCoverage({ lostCoverage }: CompareResult): SafeHtml {
  return section({
    id: "coverage",
    title: "Coverage",
    lead:
      lostCoverage.length === 0
        ? "The newer run judges everything that the base run judged."
        : `${countOf(lostCoverage.length, "verdict")} of the base run without one in the newer run.`,
    body: lostCoverage.length > 0 && html`<div class="card">${changeTable("Judged in base only", "Why", lostCoverage)}</div>`,
  });
}

function renderMethod({ method }: CompareResult): SafeHtml {
  return section({
    id: "method",
    title: "Method",
    body: html`<div class="card">
      ${facts([
        ["Design", method.design],
        ["Statistics", method.name],
        ["Resamples", String(method.resamples)],
        ["Seed", String(method.seed)],
        ["Confidence", formatPercent(method.confidence, 0)],
        ["Smallest change called one", formatPercent(method.minimumEffect)],
      ])}
    </div>`,
  });
}
