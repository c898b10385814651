import { type ScaleContinuousNumeric } from "d3-scale";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { line, path, px, text } from "./svg.ts";

/** Drawing area inside a chart: pixels from its left and top edge. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export type NumberScale = ScaleContinuousNumeric<number, number>;

export interface AxisParts {
  readonly scale: NumberScale;
  readonly area: Area;
  readonly label: string;
  readonly format: (value: number) => string;
  readonly ticks?: readonly number[];
  readonly count?: number;
}

/** Baseline, tick labels and faint vertical lines. */
export function bottomAxis({ scale, area, label, format, ticks, count = 8 }: AxisParts): SafeHtml {
  const values = ticks ?? scale.ticks(count);
  const grid = values.map((value) => `M${px(scale(value))} ${area.top}V${area.bottom}`).join("");
  const labels = values.map((value) => {
    const last = scale(value) > area.right - 24;
    return text(scale(value), area.bottom + 16, format(value), { anchor: last ? "end" : "middle", class: "t2" });
  });
  return html`<g
    >${path(grid, "grid")}${line(area.left, area.bottom, area.right, area.bottom, "axis", 0.8)}${labels}${text(area.right, area.bottom + 32, label, { anchor: "end", class: "t2" })}</g
  >`;
}

/** Tick labels left of the area, faint horizontal lines, and the name of the axis above it. */
export function leftAxis({ scale, area, label, format, ticks, count = 4 }: AxisParts): SafeHtml {
  const values = ticks ?? scale.ticks(count);
  const grid = values.map((value) => `M${area.left} ${px(scale(value))}H${area.right}`).join("");
  const labels = values.map((value) => text(area.left - 8, scale(value) + 4, format(value), { anchor: "end", class: "t2" }));
  return html`<g
    >${path(grid, "grid")}${labels}${label !== "" && text(area.left - 8, area.top - 8, label, { anchor: "end", class: "t2" })}</g
  >`;
}

/** Ticks of a logarithmic axis: these factors of every power of ten between the bounds. */
export function logTicks(low: number, high: number, factors: readonly number[]): readonly number[] {
  const ticks: number[] = [];
  for (let exponent = Math.floor(Math.log10(low)); exponent <= Math.ceil(Math.log10(high)); exponent += 1) {
    for (const factor of factors) ticks.push(factor * 10 ** exponent);
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

const mostTicks = 8;

/** Ticks at round instants: clocks go by 15, 30 and 60, not by 20 and 50. */
export function instantTicks(scale: NumberScale): readonly number[] {
  const [from = 0, to = 1] = scale.domain();
  const spanSeconds = (to - from) / 1000;
  const step = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].find((seconds) => spanSeconds / seconds <= mostTicks);
  if (step === undefined || spanSeconds < 15) return scale.ticks(mostTicks);
  const first = Math.ceil(from / 1000 / step) * step;
  const ticks: number[] = [];
  for (let second = first; second * 1000 <= to; second += step) ticks.push(second * 1000);
  return ticks;
}

/** `+90 s`, after an hour `+2:03:07`, with as many decimals as the step between ticks needs. */
export function instantFormat(ticks: readonly number[]): (ms: number) => string {
  const step = Math.abs((ticks[1] ?? 1000) - (ticks[0] ?? 0));
  const decimals = step >= 1000 ? 0 : Math.min(3, Math.ceil(-Math.log10(step / 1000) - 1e-9));
  return (ms) => {
    const sign = ms < 0 ? "−" : "+";
    const seconds = Math.abs(ms) / 1000;
    if (seconds < 3600) return `${sign}${seconds.toFixed(decimals)} s`;
    const minutes = Math.floor(seconds / 60);
    return `${sign}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${(seconds % 60).toFixed(decimals).padStart(decimals > 0 ? 3 + decimals : 2, "0")}`;
  };
}

/** Hatching for what was promised rather than seen. `id` must be unique in the document. */
export function hatchPattern(id: string, name: string): SafeHtml {
  return html`<defs
    ><pattern id="${id}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"
      ><path d="M0 0V5" class="${name}" stroke-width="${px(2.4)}" /></pattern
  ></defs>`;
}
