import { scaleLinear, scalePoint } from "d3-scale";
import type { MetricComparison } from "../../core/compare-result.ts";
import { html, type SafeHtml } from "../html/safe-html.ts";
import { formatPercent } from "../text/format-number.ts";
import { leftAxis } from "./axes.ts";
import { shiftTones } from "./shift-bar.ts";
import { line, mark, px, rect, svg, text } from "./svg.ts";

/** Relative change at each quantile with its interval; `minimumEffect` either side of zero is pale. */
export function drawQuantileShift(
  group: readonly MetricComparison[],
  quantileOf: (metric: MetricComparison) => number,
  title: string,
  description: string,
  minimumEffect = 0,
): SafeHtml {
  const area = { left: 86, right: 900, top: 20, bottom: 190 };
  const bounds = group.flatMap(({ relative }) => (relative === null ? [] : [relative.low, relative.high]));
  const most = Math.max(0.02, minimumEffect * 1.5, ...bounds.map(Math.abs));
  const y = scaleLinear(
    [-Math.min(most, Math.max(0.02, -Math.min(...bounds, 0))), most === 0 ? 0.02 : Math.max(0.02, ...bounds)],
    [area.bottom, area.top],
  ).nice(5);
  const x = scalePoint(
    group.map((metric) => metric.statistic),
    [area.left, area.right],
  ).padding(0.6);
  const at = (metric: MetricComparison): number => x(metric.statistic) ?? area.left;
  const upper = group
    .map((metric, index) => `${index === 0 ? "M" : "L"}${px(at(metric))} ${px(y(metric.relative?.high ?? 0))}`)
    .join("");
  const lower = [...group]
    .reverse()
    .map((metric) => `L${px(at(metric))} ${px(y(metric.relative?.low ?? 0))}`)
    .join("");
  const middle = group
    .map((metric, index) => `${index === 0 ? "M" : "L"}${px(at(metric))} ${px(y(metric.relative?.value ?? 0))}`)
    .join("");
  return svg({
    width: 1000,
    height: 226,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "", format: (value) => formatPercent(value, 0), count: 5 })}${minimumEffect > 0 && rect(area.left, y(minimumEffect), area.right - area.left, y(-minimumEffect) - y(minimumEffect), "band")}
      <path d="${upper}${lower}z" class="f-feasible" opacity=".45" /><path
        d="${middle}"
        class="s-admit"
        stroke-width="2"
      />${line(area.left, y(0), area.right, y(0), "s-ink", 1.2)}
      ${group.map((metric) => html`${mark(html`<circle cx="${px(at(metric))}" cy="${px(y(metric.relative?.value ?? 0))}" r="4.5" class="f-${shiftTones[metric.verdict]}" />`, `p${quantileOf(metric)}: ${formatPercent(metric.relative?.value)}, ${metric.verdict}`)}${text(at(metric), area.bottom + 18, metric.statistic, { anchor: "middle", class: "t2" })}`)}${text(area.right + 8, y(0) + 4, "no change", { class: "t2" })}`,
  });
}
