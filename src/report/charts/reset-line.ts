import { scaleLinear } from "d3-scale";
import type { LimitTimelineOp } from "../../core/result/limits-result.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { bottomAxis, instantFormat, instantTicks, leftAxis } from "./axes.ts";
import { path, px, svg } from "./svg.ts";
import { thinMarks } from "./thin-marks.ts";

/** Time to the reset that each answer reported: answers that name the same reset lie on one line that falls a second a second. */
export function drawResetLine(ops: readonly LimitTimelineOp[], title: string, description: string): SafeHtml {
  const seen = ops.flatMap((op) =>
    op.resetMs === null ? [] : [{ atMs: op.sentMs, leftMs: op.resetMs - op.sentMs, resetMs: op.resetMs }],
  );
  const points = thinMarks(
    seen,
    (point) => point.atMs,
    (point) => point.leftMs,
    1_500,
  );
  const times = points.map((point) => point.atMs);
  const lefts = points.map((point) => point.leftMs);
  const area = { left: 86, right: 984, top: 24, bottom: 150 };
  const x = scaleLinear([Math.min(...times), Math.max(...times) + 1], [area.left, area.right]);
  const y = scaleLinear([Math.min(0, ...lefts), Math.max(1_000, ...lefts)], [area.bottom, area.top]).nice();
  const labels = [...new Set(points.map((point) => point.resetMs))].slice(0, 60);
  const [low = 0, high = 1] = y.domain();
  const [from = 0, to = 1] = x.domain();
  const lines = labels.map((reset) => {
    const start = Math.max(from, reset - high);
    const end = Math.min(to, reset - low);
    return end <= start ? "" : `M${px(x(start))} ${px(y(reset - start))}L${px(x(end))} ${px(y(reset - end))}`;
  });
  const dots = points.map((point) => `M${px(x(point.atMs))} ${px(y(point.leftMs))}h0`).join("");
  const ticks = instantTicks(x);
  return svg({
    height: 190,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "s to reset", format: (ms) => String(ms / 1000), count: 4 })}${bottomAxis({ scale: x, area, label: "time since the start of the run", format: instantFormat(ticks), ticks })}${path(lines.join(""), "s-other", 1)}<path
        d="${dots}"
        class="s-admit"
        stroke-width="3.4"
        stroke-linecap="round"
      />`,
  });
}
