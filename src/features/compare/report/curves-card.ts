import type { ComparedCurve, CompareResult } from "../../../core/result/compare-result.ts";
import { curveTones, drawThroughputCurve } from "../../../report/charts/throughput-curve.ts";
import { html, nothing, type SafeHtml } from "../../../report/escape/safe-html.ts";
import { figure } from "../../../report/html/parts.ts";
import { formatMs, formatNumber } from "../../../report/text/format-number.ts";

/** Sweeps of all runs in one picture; further ones than it has colours for are in the table only. */
export function renderCurves({ curves = [] }: Pick<CompareResult, "curves">): SafeHtml {
  if (curves.length === 0) return nothing;
  const drawn = curves.slice(0, curveTones.length);
  const most = curves
    .flatMap(({ name, points }) => points.map((point) => ({ name, ...point })))
    .reduce((one, other) => (other.inAll > one.inAll ? other : one));
  const finding = `Most tokens: ${formatNumber(most.inAll)} /s in all, ${formatNumber(most.perUser)} /s for one user, at ${most.label} of ${most.name}.`;
  const left = curves.length - drawn.length;
  return html`<div class="card" id="curves">
    <h3>Tokens for one user and in all</h3>
    ${figure({
      finding,
      detail: `A point is a level of load; up and to the right is better. Medians of TTFT and of the time per output token beneath. Shown, not judged: the curves need not be of one workload.${left > 0 ? ` The table holds ${left} more.` : ""}`,
      key: curveKey(drawn),
      chart: drawThroughputCurve(drawn, "Tokens for one user and in all", finding),
      data: {
        caption: "Tokens for one user and in all",
        head: ["Curve", "Level", "Tokens /s, one user", "Tokens /s, in all", "TTFT p50", "TPOT p50"],
        figures: [2, 3, 4, 5],
        rows: curves.flatMap(({ name, points }) =>
          points.map(({ label, perUser, inAll, ttftMs, tpotMs }) => [
            name,
            label,
            formatNumber(perUser),
            formatNumber(inAll),
            formatMs(ttftMs),
            formatMs(tpotMs),
          ]),
        ),
      },
    })}
  </div>`;
}

/** A line for a curve, a dot for a point alone. */
function curveKey(curves: readonly ComparedCurve[]): SafeHtml {
  return html`<ul class="key">
    ${curves.map(({ name, points }, place) => {
      const tone = curveTones[place] ?? "other";
      return html`<li>
        <svg viewBox="0 0 22 10" width="22" height="10" aria-hidden="true">
          ${points.length > 1 && html`<path d="M0 5H22" class="s-${tone}" stroke-width="2" />`}
          <circle cx="11" cy="5" r="4" class="f-${tone}" /></svg
        >${name}
      </li>`;
    })}
  </ul>`;
}
