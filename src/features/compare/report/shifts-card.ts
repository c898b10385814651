import type { CompareResult } from "../../../core/result/compare-result.ts";
import { drawQuantileShift } from "./quantile-shift.ts";
import { formatMs, formatPercent } from "../../../report/text/format-number.ts";
import { figure } from "../../../report/html/parts.ts";
import { html, nothing, type SafeHtml } from "../../../report/escape/safe-html.ts";

const maxCharts = 12;

/** One shift function for each distribution that both runs measured well enough. */
export function renderShifts({ shifts, method }: CompareResult): SafeHtml {
  const drawn = shifts.filter(({ quantiles }) => quantiles.length > 1).slice(0, maxCharts);
  if (drawn.length === 0) return nothing;
  return html`<div class="card" id="shifts">
    <h3>Whole distributions</h3>
    ${drawn.map((shift) => {
      const name = `${shift.metric} of ${shift.endpoint ?? "all endpoints"}, ${shift.profile}`;
      const worst = shift.quantiles.reduce((most, each) =>
        Math.abs(each.relative.value) > Math.abs(most.relative.value) ? each : most,
      );
      const finding = `${name}: the largest shift is ${signed(worst.relative.value)} at p${worst.percentile}, between ${signed(worst.relative.low)} and ${signed(worst.relative.high)}.`;
      return figure({
        finding,
        detail: `Change of each quantile, with a ${formatPercent(method.confidence, 0)} bootstrap band that holds for each point by itself. Grey: too small to be called a change. Verdicts are those of the table above.`,
        chart: drawQuantileShift(shift, method.minimumEffect, `Quantile shift of ${name}`, finding),
        data: {
          caption: `Quantile shift of ${name}`,
          head: ["Quantile", "Base", "Next", "Change", "Low", "High"],
          figures: [1, 2, 3, 4, 5],
          rows: shift.quantiles.map(({ percentile, base, next, relative }) => [
            `p${percentile}`,
            formatMs(base),
            formatMs(next),
            signed(relative.value),
            signed(relative.low),
            signed(relative.high),
          ]),
        },
      });
    })}
  </div>`;
}

function signed(fraction: number): string {
  return `${fraction > 0 ? "+" : ""}${formatPercent(fraction)}`;
}
