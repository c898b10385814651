import { scaleLinear, scaleLog } from "d3-scale";
import type { LoadDistribution } from "../../core/result/load-figures.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatNumber } from "../text/format-number.ts";
import { bottomAxis, leftAxis, logTicks } from "./axes.ts";
import { readQuantiles } from "./read-histogram.ts";
import { polyline, svg } from "./svg.ts";

export interface EcdfSeries {
  readonly name: string;
  readonly tone: "admit" | "b2" | "b3" | "b4";
  readonly dash: string;
  readonly distribution: LoadDistribution;
}

const fractions: readonly number[] = [...Array.from({ length: 50 }, (_, index) => index / 50), 0.985, 0.99, 0.995, 0.998, 0.999];

/** Share of the samples that were at most so long, on a logarithmic axis. */
export function drawEcdf(series: readonly EcdfSeries[], title: string, description: string): SafeHtml {
  const area = { left: 86, right: 984, top: 20, bottom: 190 };
  const curves = series.map((entry) => ({
    ...entry,
    points: readQuantiles(entry.distribution, fractions).filter((point) => point.value > 0),
  }));
  const values = curves.flatMap(({ points }) => points.map((point) => point.value));
  const low = Math.min(...values, 1e6);
  const high = Math.max(...values, low * 2);
  const x = scaleLog([low * 0.9, high * 1.1], [area.left, area.right]);
  const y = scaleLinear([0, 1], [area.bottom, area.top]);
  return svg({
    height: 230,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "", format: (value) => `${Math.round(value * 100)} %`, ticks: [0, 0.25, 0.5, 0.75, 1] })}${bottomAxis({ scale: x, area, label: "ms", format: (value) => formatNumber(value, 2), ticks: logTicks(low * 0.9, high * 1.1, high / low > 60 ? [1] : [1, 2, 5]) })}
    ${curves.map(({ points, tone, dash }) => html`<path d="${polyline(points.map((point) => [x(point.value), y(point.fraction)]))}" class="s-${tone}" stroke-width="2" stroke-dasharray="${dash}" />`)} `,
  });
}
