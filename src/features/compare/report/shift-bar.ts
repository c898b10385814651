import { scaleLinear } from "d3-scale";
import type { MetricComparison } from "../../../core/result/compare-result.ts";
import { html, type SafeHtml } from "../../../report/escape/safe-html.ts";
import { formatPercent } from "../../../report/text/format-number.ts";
import { drawIntervalBar } from "../../../report/charts/interval-bar.ts";

export const shiftTones: Readonly<Record<MetricComparison["verdict"], string>> = {
  better: "pass",
  worse: "fail",
  "no detectable change": "other",
  "too few": "other",
};

/** Relative change of one metric: interval as a bar, estimate as a dot, no change as a tick. */
export function drawShiftBar(metric: MetricComparison, range: number): SafeHtml {
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
