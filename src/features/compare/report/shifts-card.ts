import type { CompareResult, QuantileShift } from "../../../core/result/compare-result.ts";
import { formatMs, formatPercent } from "../../../report/text/format-number.ts";
import { figure } from "../../../report/html/parts.ts";
import { html, nothing, type SafeHtml } from "../../../report/escape/safe-html.ts";
import { scaleLinear, scalePoint } from "d3-scale";
import { area as areaOf, line as lineOf } from "d3-shape";
import { leftAxis } from "../../../report/charts/axes.ts";
import { line, mark, px, rect, svg, text } from "../../../report/charts/svg.ts";

const maxCharts = 12;

/** One shift function for each distribution that both runs measured well enough. */
export function renderShifts({ shifts, method }: CompareResult): SafeHtml {
  const drawn = shifts.filter(({ quantiles }) => quantiles.length > 1).slice(0, maxCharts);
  if (drawn.length === 0) return nothing;
  return html`<div class="card" id="shifts">
    <h3>Whole distributions</h3>
    ${drawn.map((shift) => {
      const name = `${shift.metric} of ${shift.endpoint ?? "all endpoints"}, ${shift.profile}`;
      const worst = shift.quantiles.reduce((most, each) =>
        Math.abs(each.relative.value) > Math.abs(most.relative.value) ? each : most,
      );
      const finding = `${name}: the largest shift is ${signed(worst.relative.value)} at p${worst.percentile}, between ${signed(worst.relative.low)} and ${signed(worst.relative.high)}.`;
      return figure({
        finding,
        detail: `Change of each quantile, with a ${formatPercent(method.confidence, 0)} bootstrap band that holds for each point by itself. Grey: too small to be called a change. Verdicts are those of the table above.`,
        chart: drawQuantileShift(shift, method.minimumEffect, `Quantile shift of ${name}`, finding),
        data: {
          caption: `Quantile shift of ${name}`,
          head: ["Quantile", "Base", "Next", "Change", "Low", "High"],
          figures: [1, 2, 3, 4, 5],
          rows: shift.quantiles.map(({ percentile, base, next, relative }) => [
            `p${percentile}`,
            formatMs(base),
            formatMs(next),
            signed(relative.value),
            signed(relative.low),
            signed(relative.high),
          ]),
        },
      });
    })}
  </div>`;
}

function signed(fraction: number): string {
  return `${fraction > 0 ? "+" : ""}${formatPercent(fraction)}`;
}

type Point = QuantileShift["quantiles"][number];

/** Relative change at each quantile with its band; `minimumEffect` either side of zero is pale. */
function drawQuantileShift({ quantiles }: QuantileShift, minimumEffect: number, title: string, description: string): SafeHtml {
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
