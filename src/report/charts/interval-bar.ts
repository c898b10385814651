import { html, type SafeHtml } from "../escape/safe-html.ts";
import { px } from "./svg.ts";

export interface IntervalBarParts {
  readonly label: string;
  readonly tone: string;
  readonly x: (value: number) => number;
  /** Null: no interval is known. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly value: number | null;
  /** The mark that the value is compared with, and the width of its line. */
  readonly tick: number;
  readonly tickWidth: number;
}

/** A small picture for a table: an interval as a bar, a value as a dot, what they are held against as a tick. */
export function drawIntervalBar({ label, tone, x, interval, value, tick, tickWidth }: IntervalBarParts): SafeHtml {
  const bar =
    interval !== null &&
    html`<rect
      x="${px(x(interval[0]))}"
      y="7"
      width="${px(Math.max(1.5, x(interval[1]) - x(interval[0])))}"
      height="6"
      rx="3"
      class="f-${tone}"
      opacity=".45"
    />`;
  const dot = value !== null && html`<circle cx="${px(x(value))}" cy="10" r="4" class="f-${tone}" />`;
  return html`<svg class="small" viewBox="0 0 220 20" role="img" aria-label="${label}">
    <rect x="4" y="8.5" width="212" height="3" rx="1.5" class="f-faint" />
    ${bar}${dot}
    <path d="M${px(x(tick))} 2V18" class="s-ink" stroke-width="${tickWidth}" />
  </svg>`;
}
