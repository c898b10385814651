import { html, type Insertable, type SafeHtml } from "../escape/safe-html.ts";

/** Coordinates with at most one decimal: nobody sees less than a tenth of a pixel. */
export function px(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return String(Object.is(rounded, -0) ? 0 : rounded);
}

/** Of every chart: the page scales them. */
export const chartWidth = 1000;

export interface SvgParts {
  readonly height: number;
  /** Name and one sentence for screen readers. */
  readonly title: string;
  readonly description: string;
  readonly body: Insertable;
}

export function svg({ height, title, description, body }: SvgParts): SafeHtml {
  return html`<svg viewBox="0 0 ${chartWidth} ${height}" role="img">
    <title>${title}</title>
    <desc>${description}</desc>
    ${body}
  </svg>`;
}

/** Title shows as the browser's own tooltip. */
export function mark(shape: SafeHtml, tooltip: string): SafeHtml {
  return html`<g>${shape}<title>${tooltip}</title></g>`;
}

/** Anchors are classes (`m` middle, `e` end), which is a third of the markup of an axis. */
export function text(
  x: number,
  y: number,
  content: string,
  options: { readonly anchor?: "start" | "middle" | "end"; readonly class?: string } = {},
): SafeHtml {
  const { anchor = "start", class: name = "" } = options;
  const names = [name, anchor === "middle" ? "m" : anchor === "end" ? "e" : ""].filter((part) => part !== "").join(" ");
  return html`<text x="${px(x)}" y="${px(y)}" ${names !== "" && html` class="${names}"`}>${content}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, name: string, width = 1): SafeHtml {
  return html`<path
    d="M${px(x1)} ${px(y1)}L${px(x2)} ${px(y2)}"
    class="${name}"
    ${width !== 1 && html` stroke-width="${width}"`}
  />`;
}

export function rect(x: number, y: number, width: number, height: number, name: string, radius = 0): SafeHtml {
  return html`<rect
    x="${px(x)}"
    y="${px(y)}"
    width="${px(Math.max(0, width))}"
    height="${px(Math.max(0, height))}"
    ${radius > 0 && html` rx="${radius}"`}
    class="${name}"
  />`;
}

/** One path of many subpaths: the cheapest way to draw many marks of one class. */
export function path(d: string, name: string, width = 1): SafeHtml {
  return html`<path d="${d}" class="${name}" ${width !== 1 && html` stroke-width="${width}"`} />`;
}

/** A path through points. */
export function polyline(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${px(x)} ${px(y)}`).join("");
}
