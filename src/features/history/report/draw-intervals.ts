import { scaleLinear } from "d3-scale";
import { leftAxis } from "../../../report/charts/axes.ts";
import { line, path, px, svg, text } from "../../../report/charts/svg.ts";
import { html, type SafeHtml } from "../../../report/escape/safe-html.ts";
import { formatNumber } from "../../../report/text/format-number.ts";
import type { FollowedLatency } from "../runs/follow-latencies.ts";

/** A dot a run with its 95 % interval; nothing where nothing was measured. `ends`: names of the first and of the last run. */
export function drawIntervals(
  { points }: FollowedLatency,
  title: string,
  ends: readonly [first: string, last: string],
): SafeHtml {
  const area = { left: 86, right: 984, top: 24, bottom: 150 };
  const most = Math.max(1, ...points.map((point) => point?.high ?? point?.value ?? 0));
  const x = scaleLinear([-0.5, points.length - 0.5], [area.left, area.right]);
  const y = scaleLinear([0, most * 1.05], [area.bottom, area.top]).nice();
  const bars = points
    .map((point, index) =>
      point === null || point.low === null || point.high === null
        ? ""
        : `M${px(x(index))} ${px(y(point.low))}V${px(y(point.high))}m-3 0h6M${px(x(index) - 3)} ${px(y(point.low))}h6`,
    )
    .join("");
  const dots = points.map((point, index) => (point === null ? "" : `M${px(x(index))} ${px(y(point.value ?? 0))}h0`)).join("");
  return svg({
    height: 176,
    title,
    description: `${points.filter((point) => point !== null).length} of ${points.length} runs measured it`,
    body: html`${leftAxis({ scale: y, area, label: "ms", format: (value) => formatNumber(value), count: 4 })}${line(area.left, area.bottom, area.right, area.bottom, "axis", 0.8)}${path(bars, "s-admit", 1.2)}<path
        d="${dots}"
        class="s-admit"
        stroke-width="7"
        stroke-linecap="round"
      />${text(area.left, area.bottom + 18, ends[0], { class: "t2" })}${text(area.right, area.bottom + 18, ends[1], { anchor: "end", class: "t2" })}`,
  });
}
