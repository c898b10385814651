import { scaleLinear, scaleLog } from "d3-scale";
import type { LoadHeatmap, LoadSecond } from "../../core/result/load-figures.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatNumber } from "../text/format-number.ts";
import { type Area, bottomAxis, leftAxis, type NumberScale } from "./axes.ts";
import { path, px, rect, svg, text } from "./svg.ts";

const classes = 6;
const maxColumns = 180;

/**
 * User latency of successes over time: the darker, the more answers. Beneath, on the same axis: TTFT, rates, rejects and
 * failures. Columns are joined when there are more than fit; counts are added, so nothing is lost.
 */
export function drawLatencyHeatmap(
  heatmap: LoadHeatmap | null,
  series: readonly LoadSecond[],
  title: string,
  description: string,
): SafeHtml {
  const joined = heatmap === null ? null : joinColumns(heatmap);
  const endMs = Math.max(
    1_000,
    joined === null ? 0 : joined.cells.length * joined.columnMs,
    series.length === 0 ? 0 : ((series.at(-1)?.second ?? 0) + 1) * 1000,
  );
  const x = scaleLinear([0, endMs], [86, 984]);
  let top = 24;
  const panels: SafeHtml[] = [];
  const place = (height: number, draw: (area: Area) => SafeHtml): void => {
    panels.push(draw({ left: 86, right: 984, top, bottom: top + height }));
    top += height + 30;
  };
  if (joined !== null) place(190, (area) => drawCells(joined, x, area));
  if (series.some((second) => second.ttftP50 !== null)) place(64, (area) => drawTtft(series, x, area));
  if (series.length > 0) {
    place(64, (area) => drawRates(series, x, area));
    if (series.some((second) => second.limited + second.failed + second.notSent > 0))
      place(40, (area) => drawTrouble(series, x, area));
  }
  const area: Area = { left: 86, right: 984, top: 24, bottom: top - 24 };
  const tainted = series.filter((second) => second.tainted);
  return svg({
    height: top + 12,
    title,
    description,
    body: html`${tainted.map((second) => rect(x(second.second * 1000), area.top, x(1000) - x(0), area.bottom - area.top, "band"))}${bottomAxis({ scale: x, area, label: "seconds into the measured window", format: (ms) => String(ms / 1000) })}${panels}`,
  });
}

function joinColumns(heatmap: LoadHeatmap): LoadHeatmap {
  const by = Math.ceil(heatmap.cells.length / maxColumns);
  if (by <= 1) return heatmap;
  const cells: number[][] = [];
  for (let start = 0; start < heatmap.cells.length; start += by) {
    const group = heatmap.cells.slice(start, start + by);
    cells.push(heatmap.rowsMs.map((_, row) => group.reduce((sum, column) => sum + (column[row] ?? 0), 0)));
  }
  return { ...heatmap, columnMs: heatmap.columnMs * by, cells };
}

function drawCells(heatmap: LoadHeatmap, x: NumberScale, area: Area): SafeHtml {
  const used = heatmap.rowsMs.map((_, row) => heatmap.cells.some((column) => (column[row] ?? 0) > 0));
  const first = Math.max(0, used.indexOf(true) - 1);
  const last = Math.max(first + 1, Math.min(heatmap.rowsMs.length - 1, used.lastIndexOf(true) + 1));
  const ratio = (heatmap.rowsMs[1] ?? 2) / (heatmap.rowsMs[0] ?? 1);
  const lowerEdge = (row: number): number => (row === 0 ? (heatmap.rowsMs[0] ?? 1) / ratio : (heatmap.rowsMs[row - 1] ?? 1));
  const y = scaleLog([lowerEdge(first), heatmap.rowsMs[last] ?? 1], [area.bottom, area.top]);
  const most = heatmap.cells.reduce((high, column) => column.reduce((inner, count) => Math.max(inner, count), high), 1);
  const paths = Array.from({ length: classes }, () => "");
  const columnWidth = x(heatmap.columnMs) - x(0);
  const gap = columnWidth > 5 ? 0.5 : 0;
  const rowHeight = y(lowerEdge(first)) - y(heatmap.rowsMs[first] ?? 1);
  for (const [column, counts] of heatmap.cells.entries()) {
    for (let row = first; row <= last; row += 1) {
      const count = counts[row] ?? 0;
      if (count === 0) continue;
      const shade = Math.min(classes - 1, Math.floor((Math.log1p(count) / Math.log1p(most)) * classes));
      paths[shade] +=
        `M${px(x(column * heatmap.columnMs))} ${px(y(heatmap.rowsMs[row] ?? 1) + rowHeight / 2)}h${px(Math.max(0.8, columnWidth - gap))}`;
    }
  }
  const ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000].filter(
    (tick) => tick >= lowerEdge(first) && tick <= (heatmap.rowsMs[last] ?? 1),
  );
  return html`${leftAxis({ scale: y, area, label: "ms", format: (value) => formatNumber(value), ticks })}${paths.map((d, shade) => d !== "" && html`<path d="${d}" class="s-heat" stroke-width="${px(Math.max(1, rowHeight - gap))}" opacity="${((shade + 1) / classes).toFixed(2)}" />`)}`;
}

function drawTtft(series: readonly LoadSecond[], x: NumberScale, area: Area): SafeHtml {
  const y = scaleLinear(
    [0, Math.max(1, ...series.map((second) => second.ttftMax ?? second.ttftP50 ?? 0)) * 1.05],
    [area.bottom, area.top],
  );
  return html`${leftAxis({ scale: y, area, label: "TTFT ms", format: (value) => formatNumber(value), count: 2 })}${brokenLine(series, (second) => second.ttftMax ?? null, x, y, "s-admit", 1.2, "4 2")}${brokenLine(series, (second) => second.ttftP50, x, y, "s-admit", 1.8, "")}${text(area.right, area.top - 6, "p50 solid, slowest dashed", { anchor: "end", class: "t2" })}`;
}

function drawRates(series: readonly LoadSecond[], x: NumberScale, area: Area): SafeHtml {
  const y = scaleLinear(
    [0, Math.max(1, ...series.flatMap((second) => [second.offered, second.ok, second.inFlight])) * 1.1],
    [area.bottom, area.top],
  );
  return html`${leftAxis({ scale: y, area, label: "per second", format: (value) => formatNumber(value), count: 2 })}${brokenLine(series, (second) => second.offered, x, y, "s-ink", 1.2, "2 3")}${brokenLine(series, (second) => second.ok, x, y, "s-b2", 1.8, "")}${brokenLine(series, (second) => second.inFlight, x, y, "s-b3", 1.2, "6 2")}${text(area.right, area.top - 6, "offered dotted, answered 2xx solid, in flight dashed", { anchor: "end", class: "t2" })}`;
}

function drawTrouble(series: readonly LoadSecond[], x: NumberScale, area: Area): SafeHtml {
  const failures = (second: LoadSecond): number => second.limited + second.failed;
  const all = (second: LoadSecond): number => failures(second) + second.notSent;
  const y = scaleLinear([0, Math.max(1, ...series.map(all))], [area.bottom, area.top]);
  const width = Math.max(0.8, x(1000) - x(0) - 0.6);
  const bars = (from: (second: LoadSecond) => number, to: (second: LoadSecond) => number): string =>
    series
      .filter((second) => to(second) > from(second))
      .map((second) => `M${px(x(second.second * 1000))} ${px(y(from(second)))}h${px(width)}V${px(y(to(second)))}h${px(-width)}z`)
      .join("");
  const total = (pick: (second: LoadSecond) => number): number => series.reduce((sum, second) => sum + pick(second), 0);
  const limited = bars(
    () => 0,
    (second) => second.limited,
  );
  const failed = bars((second) => second.limited, failures);
  // Only colours that the picture has.
  const words = [
    [total((second) => second.limited), "answered 429 orange"] as const,
    [total((second) => second.failed), "failed red"] as const,
    [total((second) => second.notSent), "not sent grey"] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(", ");
  return html`${leftAxis({ scale: y, area, label: "unanswered", format: (value) => formatNumber(value), count: 2, ticks: [0, y.domain()[1] ?? 1] })}<path
      d="${limited}"
      class="f-reject"
    /><path d="${failed}" class="f-fail" /><path
      d="${bars(failures, all)}"
      class="f-other"
    />${text(area.right, area.top - 6, words, { anchor: "end", class: "t2" })}`;
}

/** Seconds without a value break the line. */
function brokenLine(
  series: readonly LoadSecond[],
  pick: (second: LoadSecond) => number | null,
  x: NumberScale,
  y: NumberScale,
  name: string,
  width: number,
  dash: string,
): SafeHtml {
  let d = "";
  let previous = -2;
  for (const second of series) {
    const value = pick(second);
    if (value === null) continue;
    d += `${second.second === previous + 1 ? "L" : "M"}${px(x((second.second + 0.5) * 1000))} ${px(y(value))}`;
    previous = second.second;
  }
  return dash === ""
    ? path(d, name, width)
    : html`<path d="${d}" class="${name}" stroke-width="${width}" stroke-dasharray="${dash}" />`;
}
