import { scaleLinear, scaleLog } from "d3-scale";
import type { LoadDistribution } from "../../core/result/load-figures.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatNumber } from "../text/format-number.ts";
import { leftAxis, logTicks } from "./axes.ts";
import { readQuantiles } from "./read-histogram.ts";
import { line, mark, path, polyline, px, svg, text } from "./svg.ts";

export interface SpectrumSeries {
  readonly name: string;
  readonly tone: "admit" | "b3" | "b2" | "b4";
  readonly dash: string;
  readonly distribution: LoadDistribution;
}

/** 0 %, then closer and closer to 100 %. */
const fractions: readonly number[] = Array.from({ length: 81 }, (_, index) => 1 - 10 ** (-index / 20));
const named: readonly number[] = [0, 0.5, 0.9, 0.99, 0.999, 0.9999];

/**
 * Latency by percentile on the axis of HdrHistogram plots, which gives each further nine the same room. Bars are 95 %
 * intervals; the curve ends where fewer than ten samples lie beyond.
 */
export function drawPercentileSpectrum(series: readonly SpectrumSeries[], title: string, description: string): SafeHtml {
  const area = { left: 86, right: 840, top: 26, bottom: 250 };
  const curves = series.map((entry) => ({ ...entry, points: readQuantiles(entry.distribution, fractions) }));
  const values = curves.flatMap(({ points, distribution }) => [
    ...points.map((point) => point.value),
    ...distribution.percentiles.flatMap(({ high }) => (high === null ? [] : [high])),
  ]);
  const top = Math.max(1, ...values);
  const low = Math.max(0.001, Math.min(...values.filter((value) => value > 0), top));
  const ends = curves.map(({ points }) => points.at(-1));
  const reached = Math.max(10, ...ends.map((end) => (end === undefined ? 0 : 1 / Math.max(1e-4, 1 - end.fraction))));
  const x = scaleLog([1, 10 ** Math.min(4, Math.ceil(Math.log10(reached) + 0.2))], [area.left, area.right]);
  const at = (fraction: number): number => x(1 / Math.max(1e-4, 1 - fraction));
  const shownNames = named.filter((fraction) => at(fraction) <= area.right + 1);
  const y =
    top / low > 30
      ? scaleLog([low, top * 1.1], [area.bottom, area.top]).nice()
      : scaleLinear([0, top * 1.08], [area.bottom, area.top]).nice();
  const cut = Math.max(...ends.map((end) => (end === undefined ? 0 : at(end.fraction))));
  return svg({
    height: 290,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "ms", format: (value) => formatNumber(value), count: 5, ...(top / low > 30 && { ticks: logTicks(low * 0.99, top * 1.2, [1, 3]) }) })}
    ${line(area.left, area.bottom, area.right, area.bottom, "axis", 0.8)}${shownNames.map((fraction) => html`${line(at(fraction), area.top, at(fraction), area.bottom, "grid")}${text(at(fraction), area.bottom + 16, fraction === 0 ? "min" : `p${String(Math.round(fraction * 1e6) / 1e4)}`, { anchor: "middle", class: "t2" })}`)}
    ${cut < area.right - 30 && html`<rect x="${px(cut + 6)}" y="${area.top}" width="${px(area.right - cut - 6)}" height="${area.bottom - area.top}" class="band" />${text((cut + 6 + area.right) / 2, area.bottom - 8, "too few samples", { anchor: "middle", class: "t2" })}`}
    ${curves.map((curve, index) => drawCurve(curve, at, y, index, ends))}`,
  });
}

type Curve = SpectrumSeries & { readonly points: ReturnType<typeof readQuantiles> };

function drawCurve(
  curve: Curve,
  at: (fraction: number) => number,
  y: (value: number) => number,
  index: number,
  ends: readonly (Curve["points"][number] | undefined)[],
): SafeHtml {
  const d = polyline(curve.points.map((point) => [at(point.fraction), y(point.value)]));
  const shift = (index - 0.5) * 5;
  const bars = curve.distribution.percentiles.filter(({ value, low, high }) => value !== null && low !== null && high !== null);
  const end = curve.points.at(-1);
  const crowded =
    end !== undefined &&
    ends.some((other, position) => position !== index && other !== undefined && Math.abs(y(other.value) - y(end.value)) < 14);
  return html`<path d="${d}" class="s-${curve.tone}" stroke-width="2" stroke-dasharray="${curve.dash}" />${bars.map((bar) => {
      const centre = at(bar.percentile / 100) + shift;
      const [low, high, value] = [y(bar.low ?? 0), y(bar.high ?? 0), y(bar.value ?? 0)];
      return mark(
        html`${path(`M${px(centre)} ${px(low)}V${px(high)}m-3 0h6M${px(centre - 3)} ${px(low)}h6`, `s-${curve.tone}`, 1.2)}<circle
            cx="${px(centre)}"
            cy="${px(value)}"
            r="2.6"
            class="s-${curve.tone}"
            stroke-width="1.4"
          />`,
        `${curve.name} p${bar.percentile}: ${formatNumber(bar.value)} (${formatNumber(bar.low)} to ${formatNumber(bar.high)})`,
      );
    })}${end !== undefined && text(at(end.fraction) + 14, y(end.value) + 4 + (crowded ? (index === 0 ? -9 : 9) : 0), curve.name, { class: "tb" })}`;
}
