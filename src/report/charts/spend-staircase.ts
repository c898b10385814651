import { scaleLinear } from "d3-scale";
import type { LimitPolicyResult } from "../../core/result/limits-result.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatCents } from "../text/format-number.ts";
import { type Area, bottomAxis, leftAxis, type NumberScale } from "./axes.ts";
import { line, mark, path, px, rect, svg, text } from "./svg.ts";
import { thinMarks } from "./thin-marks.ts";
import { createTimeScale, drawFolds, extentOf } from "./time-scale.ts";

/**
 * Spending as steps: from the usage of each answer, and as the usage report reported it; against the caps in force where they
 * are reported. Whether a cap was overrun is for the checks to say: only what they blame is red.
 */
export function drawSpendStaircase(policy: LimitPolicyResult, title: string, description: string): SafeHtml {
  const { spend, ops, caps = [] } = policy.timeline;
  const own = thinMarks(
    spend.filter((point) => point.source === "responses"),
    (point) => point.atMs,
    (point) => point.cents,
    800,
  );
  const reported = thinMarks(
    spend.filter((point) => point.source === "usage-report"),
    (point) => point.atMs,
    (point) => point.cents,
    400,
  );
  const times = [...spend.map((point) => point.atMs), ...ops.map((op) => op.sentMs)];
  const area: Area = { left: 86, right: 900, top: 30, bottom: 204 };
  const time = createTimeScale(
    times.map((atMs) => ({ fromMs: atMs, toMs: atMs })),
    { fromMs: Math.min(...times), toMs: Math.max(...times) + 1 },
    area.left,
    area.right,
  );
  const x = time.scale;
  const most = Math.max(0, ...spend.map((point) => point.cents));
  // A cap far above all spending would flatten the steps: it is drawn along the upper edge.
  const near = [...caps.map((cap) => cap.cents ?? 0), policy.declared.capCents ?? 0].filter((cents) => cents <= 2 * most);
  const y = scaleLinear([0, Math.max(most, ...near) * 1.12 || 1], [area.bottom, area.top]).clamp(true);
  const steps = own
    .map((point, index) =>
      index === 0 ? `M${px(x(point.atMs))} ${px(y(point.cents))}` : `H${px(x(point.atMs))}V${px(y(point.cents))}`,
    )
    .join("");
  const firstReject = [...ops].filter((op) => op.lane === "rejected").sort((a, b) => a.sentMs - b.sentMs)[0];
  const flagged = ops.filter((op) => op.findings.length > 0).slice(0, 100);
  const last = own.at(-1);
  const capLevel = policy.declared.capCents;
  const crowded = last !== undefined && capLevel !== null && Math.abs(y(last.cents) - y(capLevel)) < 14;
  return svg({
    height: 244,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "cents", format: String, count: 5 })}${bottomAxis({ scale: x, area, label: "time since the start of the run", format: time.format, ticks: time.ticks })}${drawFolds(time.folds, area)}
    ${path(steps, "s-admit", 2)}${drawCaps(policy, x, y, area)}${last !== undefined && text(area.right + 8, y(last.cents) + (crowded ? -8 : 4), `bought ${formatCents(last.cents)}`, { class: "t-admit" })}
    ${reported.map((point) => mark(rect(x(point.atMs) - 3, y(point.cents) - 3, 6, 6, "f-b2"), `usage report ${formatCents(point.cents)}`))}
    ${firstReject !== undefined && html`${line(x(firstReject.sentMs), area.top, x(firstReject.sentMs), area.bottom, "s-reject", 1.4)}${text(x(firstReject.sentMs) + 5, area.bottom - 8, "first 429")}`}
    ${flagged.map((op) => mark(html`<path d="M${px(x(op.sentMs))} ${px(area.bottom - 1)}l-5 -9h10z" class="f-fail" />`, `#${op.seq} ${op.findings.join(" ")}`))}`,
  });
}

/** Caps in force as a step line; where they are not reported, the declared one, and only if the checks blame the policy. */
function drawCaps(policy: LimitPolicyResult, x: NumberScale, y: NumberScale, area: Area): SafeHtml {
  const caps = policy.timeline.caps ?? [];
  const [fromMs, toMs] = extentOf(x);
  if (caps.length > 0) {
    let d = "";
    for (const [index, cap] of caps.entries()) {
      const start = Math.max(fromMs, cap.atMs);
      const end = Math.min(toMs, caps[index + 1]?.atMs ?? toMs);
      if (cap.cents !== null && end > start) d += `M${px(x(start))} ${px(y(cap.cents))}H${px(x(end))}`;
    }
    return html`<path
        d="${d}"
        class="s-ink"
        stroke-width="1.8"
        stroke-dasharray="6 4"
      />${text(area.left + 60, area.top - 14, "dashed: cap in force, along the upper edge where it is far above", { class: "t2" })}`;
  }
  const cap = policy.declared.capCents;
  if (cap === null || policy.verdict !== "fail") return html``;
  const most = policy.timeline.spend.reduce((high, point) => Math.max(high, point.cents), 0);
  const over =
    most > cap &&
    html`<rect
      x="${area.left}"
      y="${px(y(most))}"
      width="${area.right - area.left}"
      height="${px(y(cap) - y(most))}"
      class="f-fail"
      opacity=".16"
    />`;
  return html`${over}${line(area.left, y(cap), area.right, y(cap), "s-ink", 1.6)}${text(area.right + 8, y(cap) + 4, `cap ${formatCents(cap)}`, { class: "tb" })}`;
}
