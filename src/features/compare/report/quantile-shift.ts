import { scaleLinear, scalePoint } from "d3-scale";
import { area as areaOf, line as lineOf } from "d3-shape";
import type { QuantileShift } from "../../../core/result/compare-result.ts";
import { html, type SafeHtml } from "../../../report/escape/safe-html.ts";
import { formatPercent } from "../../../report/text/format-number.ts";
import { leftAxis } from "../../../report/charts/axes.ts";
import { line, mark, px, rect, svg, text } from "../../../report/charts/svg.ts";

type Point = QuantileShift["quantiles"][number];

/** Relative change at each quantile with its band; `minimumEffect` either side of zero is pale. */
export function drawQuantileShift(
  { quantiles }: QuantileShift,
  minimumEffect: number,
  title: string,
  description: string,
): SafeHtml {
  const area = { left: 86, right: 900, top: 20, bottom: 190 };
  const bounds = quantiles.flatMap(({ relative }) => [relative.low, relative.high]);
  const least = Math.max(0.02, minimumEffect * 1.5);
  const y = scaleLinear([Math.min(-least, ...bounds), Math.max(least, ...bounds)], [area.bottom, area.top]).nice(5);
  const x = scalePoint(
    quantiles.map(({ percentile }) => percentile),
    [area.left, area.right],
  ).padding(0.6);
  const at = ({ percentile }: Point): number => x(percentile) ?? area.left;
  const band = areaOf<Point>()
    .x(at)
    .y0((point) => y(point.relative.low))
    .y1((point) => y(point.relative.high))
    .digits(1);
  const middle = lineOf<Point>()
    .x(at)
    .y((point) => y(point.relative.value))
    .digits(1);
  return svg({
    height: 226,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "", format: (value) => formatPercent(value, 0), count: 5 })}${rect(area.left, y(minimumEffect), area.right - area.left, y(-minimumEffect) - y(minimumEffect), "band")}
      <path d="${band(quantiles) ?? ""}" class="f-feasible" opacity=".45" /><path
        d="${middle(quantiles) ?? ""}"
        class="s-admit"
        stroke-width="2"
      />${line(area.left, y(0), area.right, y(0), "s-ink", 1.2)}
      ${quantiles.map((point) => html`${mark(html`<circle cx="${px(at(point))}" cy="${px(y(point.relative.value))}" r="4" class="f-admit" />`, `p${point.percentile}: ${formatPercent(point.relative.value)}`)}${text(at(point), area.bottom + 18, `p${point.percentile}`, { anchor: "middle", class: "t2" })}`)}${text(area.right + 8, y(0) + 4, "no change", { class: "t2" })}`,
  });
}
