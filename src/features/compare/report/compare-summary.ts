import type { CompareResult, MetricComparison, VerdictDelta } from "../../../core/result/compare-result.ts";
import { fitWidth, terminalText } from "../../../report/escape/terminal.ts";
import { comparedFigure, compareVerdictWords, comparisonWord } from "./compare-words.ts";
import { formatNumber, formatPercent } from "../../../report/text/format-number.ts";
import type { VerdictWord } from "../../../report/text/verdict-word.ts";
import type { Screen } from "../../../report/terminal/screen.ts";
import { toneStyles } from "../../../report/terminal/summary-writer.ts";
import { plainText } from "../../../report/terminal/plain-text.ts";
import { wrapText } from "../../../report/terminal/wrap-text.ts";

const maxMetrics = 16;
const maxChanges = 8;

/**
 * The answer of `assay compare` as text: what blocks or differs, metrics worst first, changed verdicts, the verdict last, with
 * the code that the command exits with.
 */
export function renderCompareSummary(result: CompareResult, screen: Screen, exitCode: number = result.exitCode): string {
  const ellipsis = screen.unicode ? "…" : "...";
  const fit = (text: string): string => fitWidth(plainText(terminalText(text), screen), screen.width, ellipsis);
  const wrapped = (indent: string, text: string): readonly string[] =>
    wrapText(plainText(terminalText(text), screen), { width: screen.width, first: indent, rest: indent, maxLines: 4, ellipsis });
  const glyph = (word: VerdictWord): string => (screen.unicode ? word.glyph : word.ascii);
  const lines: string[] = [
    fit(`base  ${result.base.target}  ${result.base.runId}`),
    fit(`next  ${result.next.target}  ${result.next.runId}`),
    "",
  ];
  for (const check of result.comparability.checks.filter(({ outcome }) => outcome !== "same")) {
    lines.push(
      screen.paint(
        check.blocking ? "red" : "yellow",
        fit(`${check.blocking ? "blocks" : check.outcome}  ${check.id}: ${check.message}`),
      ),
    );
  }
  if (result.metrics.length > 0)
    lines.push("", screen.paint("dim", fit("METRIC                                 BASE       NEXT      CHANGE (INTERVAL)")));
  for (const metric of result.metrics.slice(0, maxMetrics)) {
    const word = comparisonWord(metric);
    lines.push(screen.paint(toneStyles[word.tone], fit(`${glyph(word)} ${describeMetric(metric)}`)));
    if (metric.reason !== null) lines.push(...wrapped("    ", metric.reason).map((line) => screen.paint("dim", line)));
  }
  if (result.metrics.length > maxMetrics) lines.push(fit(`  and ${result.metrics.length - maxMetrics} more`));
  for (const { profile, metric, reason } of result.notCompared.slice(0, maxChanges)) {
    lines.push(...wrapped("", `not compared  ${profile} ${metric}: ${reason}`).map((line) => screen.paint("magenta", line)));
  }
  for (const [name, delta] of [
    ["conformance", result.conformance],
    ["limits", result.limits],
    ["gates", result.gates],
  ] as const) {
    lines.push(...deltaLines(name, delta).map((text) => fit(text)));
  }
  if (result.lostCoverage.length > 0) {
    lines.push("", fit(`judged in base only: ${result.lostCoverage.length}`));
    for (const { id, base, message } of result.lostCoverage.slice(0, maxChanges))
      lines.push(screen.paint("magenta", fit(`  ${id}  ${base ?? "absent"}, now ${message ?? "absent"}`)));
    if (result.lostCoverage.length > maxChanges) lines.push(fit(`  and ${result.lostCoverage.length - maxChanges} more`));
  }
  const word = compareVerdictWords[result.verdict];
  const exit = exitCode === result.exitCode ? `exit ${exitCode}` : `exit ${exitCode}; with --gate it is ${result.exitCode}`;
  lines.push(
    "",
    ...wrapped("", result.reason),
    screen.paint(toneStyles[word.tone], screen.paint("bold", fit(`${glyph(word)} ${word.word.toUpperCase()} (${exit})`))),
  );
  return `${lines.join("\n")}\n`;
}

function describeMetric(metric: MetricComparison): string {
  const name = `${comparedFigure(metric)}${metric.endpoint === null ? "" : ` ${metric.endpoint}`}`.padEnd(35);
  if (metric.verdict === "too few") return `${name} too few samples`;
  const change =
    metric.relative === null
      ? formatNumber(metric.difference.value)
      : `${metric.relative.value > 0 ? "+" : ""}${formatPercent(metric.relative.value)} (${formatPercent(metric.relative.low)} to ${formatPercent(metric.relative.high)})`;
  return `${name} ${formatNumber(metric.base.value).padStart(8)} ${formatNumber(metric.next.value).padStart(10)}   ${change}`;
}

function deltaLines(name: string, delta: VerdictDelta): readonly string[] {
  if (delta.broken.length + delta.fixed.length + delta.changed.length === 0) return [];
  const list = (word: string, changes: VerdictDelta["broken"]): readonly string[] => {
    const shown = changes
      .slice(0, maxChanges)
      .map((change) => `  ${word} ${change.id}  ${change.base ?? "absent"} to ${change.next ?? "absent"}`);
    return changes.length > maxChanges ? [...shown, `  and ${changes.length - maxChanges} more ${word}`] : shown;
  };
  return [
    "",
    `${name}: ${delta.broken.length} newly failing, ${delta.fixed.length} fixed, ${delta.unchanged} unchanged`,
    ...list("broken", delta.broken),
    ...list("fixed", delta.fixed),
    ...list("changed", delta.changed),
  ];
}
