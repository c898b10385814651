import { scaleLinear } from "d3-scale";
import type { Timing } from "../../core/exchange/exchange.ts";
import { html, type SafeHtml } from "../html/safe-html.ts";
import { formatMs } from "../text/format-number.ts";
import { px } from "./svg.ts";

/** Sent, head and end of one exchange as a bar, the figures beside it. */
export function drawTimingBar(timing: Timing): SafeHtml {
  const x = scaleLinear([0, Math.max(0.001, timing.endMs - timing.sentMs)], [0, 240]);
  const head = (timing.headersMs ?? timing.endMs) - timing.sentMs;
  const body = timing.endMs - timing.sentMs - head;
  const label =
    timing.headersMs === null ? `no head within ${formatMs(head)}` : `head after ${formatMs(head)}, body ${formatMs(body)}`;
  return html`<p class="timing sub">
    <svg class="bar" viewBox="0 0 242 8" aria-hidden="true">
      <rect width="${px(Math.max(1, x(head)))}" height="8" class="f-other" />
      <rect x="${px(x(head))}" width="${px(Math.max(1, x(body)))}" height="8" class="f-admit" /></svg
    >${label}
  </p>`;
}
