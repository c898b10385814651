import { scaleLinear } from "d3-scale";
import type { MetricComparison } from "../../core/result/compare-result.ts";
import { html, type SafeHtml } from "../html/safe-html.ts";
import { formatPercent } from "../text/format-number.ts";
import { px } from "./svg.ts";

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
  const x = scaleLinear([-range, range], [6, 214]).clamp(true);
  const tone = shiftTones[metric.verdict];
  const label = `${metric.metric} ${metric.statistic}: ${formatPercent(relative.value)}, interval ${formatPercent(relative.low)} to ${formatPercent(relative.high)}`;
  return html`<svg class="small" viewBox="0 0 220 20" role="img" aria-label="${label}">
    <rect x="4" y="8.5" width="212" height="3" rx="1.5" class="f-faint" />
    <rect
      x="${px(x(relative.low))}"
      y="7"
      width="${px(Math.max(1.5, x(relative.high) - x(relative.low)))}"
      height="6"
      rx="3"
      class="f-${tone}"
      opacity=".45"
    />
    <circle cx="${px(x(relative.value))}" cy="10" r="4" class="f-${tone}" />
    <path d="M${px(x(0))} 2V18" class="s-ink" stroke-width="1.6" />
  </svg>`;
}
