import { scaleLinear } from "d3-scale";
import type { LimitTimeline } from "../../core/result/limits-result.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatInstant } from "../text/format-number.ts";
import { line, rect, svg, text } from "./svg.ts";

type Window = LimitTimeline["windows"][number];

const maxRows = 16;

/** A bar for each window: certainly admitted solid, possibly admitted pale, the declared limit as a tick. Red only where a check blames it. */
export function drawWindowStrip(windows: readonly Window[], blamed: boolean, title: string, description: string): SafeHtml {
  const rows = chooseRows(windows);
  const x = scaleLinear(
    [0, Math.max(1, ...rows.map(({ window }) => Math.max(window.limit, window.possible))) * 1.06],
    [150, 680],
  );
  const height = rows.length * 24 + 8;
  return svg({
    height,
    title,
    description,
    body: rows.map(({ window, number }, row) => {
      const y = row * 24 + 6;
      const over = window.certain > window.limit;
      const tone = over && blamed ? "fail" : over || window.possible > window.limit ? "warn" : "admit";
      const word = over
        ? blamed
          ? "✗ over"
          : "! more than its label"
        : window.possible > window.limit
          ? "? possibly over"
          : "✓";
      const label =
        window.possible > window.certain ? `${window.certain} certain, ${window.possible} possible` : `${window.certain} certain`;
      return html`<g
        >${text(142, y + 12, `${number}  ${formatInstant(window.fromMs)}`, { anchor: "end", class: "t2" })}
        <rect
          x="${x(0)}"
          y="${y + 2}"
          width="${Math.max(0, x(window.possible) - x(0)).toFixed(1)}"
          height="12"
          class="f-${tone}"
          opacity=".35"
        />${rect(x(0), y + 2, x(window.certain) - x(0), 12, `f-${tone}`)}${line(x(window.limit), y - 2, x(window.limit), y + 18, "s-ink", 2)}
        ${text(712, y + 12, `${word}  ${label} of ${window.limit}`, tone === "fail" ? { class: "tf" } : {})}</g
      >`;
    }),
  });
}

/** All, or the fullest ones in order of time. */
function chooseRows(windows: readonly Window[]): readonly { readonly window: Window; readonly number: number }[] {
  const rows = windows.map((window, index) => ({ window, number: index + 1 }));
  if (rows.length <= maxRows) return rows;
  const excess = ({ window }: (typeof rows)[number]): number => window.possible / Math.max(1, window.limit);
  return [...rows]
    .sort((a, b) => excess(b) - excess(a))
    .slice(0, maxRows)
    .sort((a, b) => a.number - b.number);
}
