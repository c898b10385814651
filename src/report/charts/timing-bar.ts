import { scaleLinear } from "d3-scale";
import type { Timing } from "../../core/exchange.ts";
import type { SafeHtml } from "../html/safe-html.ts";
import { html } from "../html/safe-html.ts";
import { formatMs } from "../text/format-number.ts";
import { px, svg, text } from "./svg.ts";

/** Sent, head, first byte, end of one exchange as a bar. */
export function drawTimingBar(timing: Timing): SafeHtml {
  const total = Math.max(0.001, timing.endMs - timing.sentMs);
  const x = scaleLinear([0, total], [0, 460]);
  const head = (timing.headersMs ?? timing.endMs) - timing.sentMs;
  const body = total - head;
  const label = `head after ${formatMs(head)}${timing.headersMs === null ? " never" : ""}, body ${formatMs(body)}`;
  return svg({
    width: 760,
    height: 18,
    title: "Timing",
    description: label,
    body: html`<rect x="0" y="4" width="${px(Math.max(1, x(head)))}" height="10" class="f-other" /><rect
        x="${px(x(head))}"
        y="4"
        width="${px(Math.max(1, x(body)))}"
        height="10"
        class="f-admit"
      />${text(472, 13, label, { class: "t2" })}`,
  });
}
