import { scaleLinear } from "d3-scale";
import type { GateResult } from "../../core/result/gate-result.ts";
import { html, type SafeHtml } from "../html/safe-html.ts";
import { formatFigure } from "../text/format-number.ts";
import { px } from "./svg.ts";

/** Bullet graph of one gate: bound as a tick, interval as a bar, value as a dot. */
export function drawBullet(gate: GateResult): SafeHtml {
  const values = [gate.bound, gate.observed, gate.low, gate.high].filter((value) => value !== null);
  const x = scaleLinear([0, Math.max(...values) * 1.15 || 1], [4, 216]);
  const name = gate.verdict === "pass" ? "pass" : gate.verdict === "fail" ? "fail" : "other";
  const label =
    gate.observed === null
      ? `${gate.expression}: no value`
      : `${gate.expression}: observed ${formatFigure(gate.observed, gate.unit)}, bound ${formatFigure(gate.bound, gate.unit)}`;
  const interval =
    gate.low !== null &&
    gate.high !== null &&
    html`<rect
      x="${px(x(gate.low))}"
      y="7"
      width="${px(Math.max(1.5, x(gate.high) - x(gate.low)))}"
      height="6"
      rx="3"
      class="f-${name}"
      opacity=".45"
    />`;
  const dot = gate.observed !== null && html`<circle cx="${px(x(gate.observed))}" cy="10" r="4" class="f-${name}" />`;
  return html`<svg class="small" viewBox="0 0 220 20" role="img" aria-label="${label}">
    <rect x="4" y="8.5" width="212" height="3" rx="1.5" class="f-faint" />
    ${interval}${dot}
    <path d="M${px(x(gate.bound))} 2V18" class="s-ink" stroke-width="2" />
  </svg>`;
}
