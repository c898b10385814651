import { scaleLinear } from "d3-scale";
import type { RepeatFigure } from "../../core/result/load-result.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatNumber } from "../text/format-number.ts";
import { px } from "./svg.ts";

/** A small picture for a table: each run as a dot, the interval of their mean as a bar. The scale is that of the figure alone. */
export function drawRuns({ name, unit, values, mean, low, high }: RepeatFigure): SafeHtml {
  const ends = [...values, Math.max(0, low), high];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const x = scaleLinear([least, most > least ? most : least + 1], [8, 212]);
  const shown = values.map((value) => formatNumber(value)).join(", ");
  const label = `${name}: runs ${shown} ${unit}; mean ${formatNumber(mean)}, 95 % interval ${formatNumber(Math.max(0, low))} to ${formatNumber(high)} ${unit}`;
  return html`<svg class="small" viewBox="0 0 220 20" role="img" aria-label="${label}">
    <rect x="4" y="8.5" width="212" height="3" rx="1.5" class="f-faint" />
    <rect
      x="${px(x(Math.max(0, low)))}"
      y="7"
      width="${px(Math.max(1.5, x(high) - x(Math.max(0, low))))}"
      height="6"
      rx="3"
      class="f-admit"
      opacity=".45"
    />
    ${values.map((value) => html`<circle cx="${px(x(value))}" cy="10" r="4" class="f-admit" />`)}
    <path d="M${px(x(mean))} 2V18" class="s-ink" stroke-width="2" />
  </svg>`;
}
