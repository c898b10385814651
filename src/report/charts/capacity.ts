import { scaleLinear, scaleLog } from "d3-scale";
import type { CapacityResult, LoadStep } from "../../core/result/load-result.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatNumber } from "../text/format-number.ts";
import { bottomAxis, leftAxis, logTicks } from "./axes.ts";
import { line, mark, path, polyline, px, svg, text } from "./svg.ts";

/** The share of requests that miss a gate against the level: every trial, the smoothed curve, the allowed share and the interval. */
export function drawCapacity(
  { capacity, steps }: { readonly capacity: CapacityResult; readonly steps: readonly LoadStep[] },
  title: string,
  description: string,
): SafeHtml {
  const gate = capacity.limitedBy ?? steps[0]?.misses?.[0]?.gate;
  const trials = steps.slice(0, 400).flatMap((step) => {
    const miss = step.misses?.find((one) => one.gate === gate);
    const level = step.concurrency ?? step.asked;
    return miss === undefined || level === undefined || miss.counted === 0
      ? []
      : [{ level, share: miss.missed / miss.counted, allowed: miss.allowed, step }];
  });
  const levels = trials.map(({ level }) => level);
  const allowed = trials[0]?.allowed ?? 0.05;
  const area = { left: 86, right: 900, top: 26, bottom: 252 };
  const [low, high] = [Math.min(...levels) * 0.9, Math.max(...levels) * 1.12];
  const x = scaleLog([low, high], [area.left, area.right]);
  const most = Math.min(1, Math.max(4 * allowed, ...capacity.curve.map(({ share }) => share)));
  // Small shares lie around the bound: the root spreads them.
  const y = scaleLinear([0, Math.sqrt(most)], [area.bottom, area.top]);
  const up = (share: number): number => y(Math.sqrt(Math.min(most, share)));
  const percent = (root: number): string => `${formatNumber(100 * root * root)} %`;
  const curve = polyline(capacity.curve.map(({ level, share }) => [x(level), up(share)]));
  const band =
    capacity.low === null || capacity.value === null
      ? null
      : { from: x(Math.max(low, capacity.low)), to: x(Math.min(high, capacity.high ?? high)) };
  const unit = capacity.of === "rate" ? "requests per second" : "requests in flight";
  return svg({
    height: 306,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "missed", format: percent, ticks: [0, allowed, most / 4, most].map(Math.sqrt) })}${bottomAxis({ scale: x, area, label: unit, format: (value) => formatNumber(value), ticks: logTicks(low, high, [1, 2, 5]) })}
    ${band !== null && html`<rect x="${px(band.from)}" y="${area.top}" width="${px(Math.max(2, band.to - band.from))}" height="${area.bottom - area.top}" class="f-b2" opacity="0.16" />`}
    ${line(area.left, up(allowed), area.right, up(allowed), "s-fail", 1.2)}${text(area.right, up(allowed) - 6, `${formatNumber(100 * allowed)} % may miss ${gate ?? ""}`, { anchor: "end", class: "t2" })}
    ${path(curve, "s-b2", 2)}
    ${trials.map(({ level, share, step }) => mark(html`<circle cx="${px(x(level))}" cy="${px(up(share))}" r="4" class="${step.verdict === "pass" ? "f-b2" : step.verdict === "fail" ? "s-fail" : "s-ink"}" stroke-width="2" />`, `${formatNumber(level)}: ${formatNumber(100 * share)} % missed, ${step.verdict}`))}
    ${capacity.value !== null && html`${line(x(capacity.value), area.top - 6, x(capacity.value), area.bottom, "s-ink", 1.4)}${text(x(capacity.value) + 6, area.top + 4, formatNumber(capacity.value), { class: "tb" })}`}`,
  });
}
