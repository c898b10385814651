import { scaleLinear } from "d3-scale";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatNumber } from "../text/format-number.ts";
import { bottomAxis, leftAxis } from "./axes.ts";
import { line, mark, path, polyline, px, svg, text } from "./svg.ts";

/** Good answers against offered load, the ideal as a diagonal, the knee marked; p95 latency beneath on the same axis. */
export function drawGoodput(profile: LoadProfileResult, title: string, description: string): SafeHtml {
  const steps = profile.steps.slice(0, 200);
  const most = Math.max(1, ...steps.map((step) => Math.max(step.offered, step.achieved)));
  const x = scaleLinear([0, most * 1.04], [86, 900]);
  const upper = { left: 86, right: 900, top: 26, bottom: 180 };
  const lower = { left: 86, right: 900, top: 216, bottom: 296 };
  const y = scaleLinear([0, most * 1.04], [upper.bottom, upper.top]);
  const latency = scaleLinear(
    [0, Math.max(1, ...steps.map((step) => step.userLatencyP95 ?? 0)) * 1.08],
    [lower.bottom, lower.top],
  );
  const goodput = polyline(steps.map((step) => [x(step.offered), y(step.goodput)]));
  const slow = steps.filter((step) => step.userLatencyP95 !== null);
  const brokenSteps = polyline(slow.map((step) => [x(step.offered), latency(step.userLatencyP95 ?? 0)]));
  const last = steps.at(-1);
  const { knee } = profile;
  return svg({
    height: 336,
    title,
    description,
    body: html`${leftAxis({ scale: y, area: upper, label: "good /s", format: (value) => formatNumber(value), count: 4 })}${leftAxis({ scale: latency, area: lower, label: "p95 ms", format: (value) => formatNumber(value), count: 2 })}${bottomAxis({ scale: x, area: { ...lower, top: upper.top }, label: "offered requests per second", format: (value) => formatNumber(value) })}
      <path
        d="M${px(x(0))} ${px(y(0))}L${px(x(most))} ${px(y(most))}"
        class="s-other"
        stroke-width="1.2"
        stroke-dasharray="3 4"
      />${text(x(most) + 8, y(most) + 10, "all good", { class: "t2" })}
      ${path(goodput, "s-b2", 2)}${last !== undefined && text(x(last.offered) + 8, y(last.goodput) + 4, "goodput", { class: "tb" })}
      ${path(brokenSteps, "s-admit", 2)}
      ${steps.map((step) => mark(html`<circle cx="${px(x(step.offered))}" cy="${px(y(step.goodput))}" r="4" class="${step.verdict === "pass" ? "f-b2" : "s-fail"}" stroke-width="2" />`, `offered ${formatNumber(step.offered)}: good ${formatNumber(step.goodput)}, ${step.verdict}`))}
      ${knee !== null && html`${line(x(knee.offered), upper.top - 6, x(knee.offered), lower.bottom, "s-ink", 1.4)}${text(x(knee.offered) + 6, upper.top + 4, `knee at ${formatNumber(knee.offered)} /s`, { class: "tb" })}`}`,
  });
}
