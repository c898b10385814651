import { scaleLinear } from "d3-scale";
import type { LimitTimelineOp } from "../../core/result/limits-result.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { bottomAxis, leftAxis, type NumberScale } from "./axes.ts";
import { createTimeScale, drawFolds } from "./time-scale.ts";
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
  const whole = { fromMs: Math.min(...times), toMs: Math.max(...times) + 1 };
  const spans = points.map(({ atMs }) => ({ fromMs: atMs, toMs: atMs }));
  const time = createTimeScale(spans, whole, area.left, area.right);
  const x = time.scale;
  const y = scaleLinear([Math.min(0, ...lefts), Math.max(1_000, ...lefts)], [area.bottom, area.top]).nice();
  const labels = [...new Set(points.map((point) => point.resetMs))].slice(0, 60);
  const [low = 0, high = 1] = y.domain();
  // A line is straight within a stretch of activity; folded time has none.
  const stretches = stretchesOf(x);
  const lines = labels.flatMap((reset) =>
    stretches.map(([from, to]) => {
      const start = Math.max(from, reset - high);
      const end = Math.min(to, reset - low);
      return end <= start ? "" : `M${px(x(start))} ${px(y(reset - start))}L${px(x(end))} ${px(y(reset - end))}`;
    }),
  );
  const dots = points.map((point) => `M${px(x(point.atMs))} ${px(y(point.leftMs))}h0`).join("");
  return svg({
    height: 190,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "s to reset", format: (ms) => String(ms / 1000), count: 4 })}${bottomAxis({ scale: x, area, label: "time since the start of the run", format: time.format, ticks: time.ticks })}${drawFolds(time.folds, area)}${path(lines.join(""), "s-other", 1)}<path
        d="${dots}"
        class="s-admit"
        stroke-width="3.4"
        stroke-linecap="round"
      />`,
  });
}

/** The linear parts of a time axis: all of it, or what lies between its folds. */
function stretchesOf(scale: NumberScale): readonly (readonly [fromMs: number, toMs: number])[] {
  const domain = scale.domain();
  return Array.from(
    { length: Math.floor(domain.length / 2) },
    (_, index) => [domain[2 * index] ?? 0, domain[2 * index + 1] ?? 1] as const,
  );
}
