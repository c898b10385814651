import { scaleLinear } from "d3-scale";
import type { LimitPolicyResult } from "../../core/limits-result.ts";
import { html, type SafeHtml } from "../html/safe-html.ts";
import { formatCents } from "../text/format-number.ts";
import { bottomAxis, instantFormat, instantTicks, leftAxis } from "./axes.ts";
import { line, mark, path, px, rect, svg, text } from "./svg.ts";
import { thinMarks } from "./thin-marks.ts";

/** Spending as steps against the cap: from the usage of each answer, and as the usage report told it. */
export function drawSpendStaircase(policy: LimitPolicyResult, title: string, description: string): SafeHtml {
  const { spend, ops } = policy.timeline;
  const cap = policy.declared.capCents;
  const own = thinMarks(
    spend.filter((point) => point.source === "responses"),
    (point) => point.atMs,
    (point) => point.cents,
    800,
  );
  const told = thinMarks(
    spend.filter((point) => point.source === "usage-report"),
    (point) => point.atMs,
    (point) => point.cents,
    400,
  );
  const times = [...spend.map((point) => point.atMs), ...ops.map((op) => op.sentMs)];
  const area = { left: 86, right: 900, top: 26, bottom: 200 };
  const x = scaleLinear([Math.min(...times), Math.max(...times) + 1], [area.left, area.right]);
  const y = scaleLinear([0, Math.max(cap ?? 0, ...spend.map((point) => point.cents)) * 1.12 || 1], [area.bottom, area.top]);
  const steps = own
    .map((point, index) =>
      index === 0 ? `M${px(x(point.atMs))} ${px(y(point.cents))}` : `H${px(x(point.atMs))}V${px(y(point.cents))}`,
    )
    .join("");
  const firstReject = ops.filter((op) => op.lane === "rejected").sort((a, b) => a.sentMs - b.sentMs)[0];
  const flagged = ops.filter((op) => op.findings.length > 0).slice(0, 100);
  const last = own.at(-1);
  const ticks = instantTicks(x);
  return svg({
    width: 1000,
    height: 240,
    title,
    description,
    body: html`${leftAxis({ scale: y, area, label: "cents", format: String, count: 5 })}${bottomAxis({ scale: x, area, label: "time since the start of the run", format: instantFormat(ticks), ticks })}
    ${cap !== null && last !== undefined && last.cents > cap && html`<rect x="${area.left}" y="${px(y(last.cents))}" width="${area.right - area.left}" height="${px(y(cap) - y(last.cents))}" class="f-fail" opacity=".16" />`}
    ${cap !== null && html`${line(area.left, y(cap), area.right, y(cap), "s-ink", 1.6)}${text(area.right + 8, y(cap) + 4, `cap ${formatCents(cap)}`, { class: "tb" })}`}
    ${path(steps, "s-admit", 2)}${last !== undefined && text(area.right + 8, y(last.cents) + (cap !== null && Math.abs(y(last.cents) - y(cap)) < 14 ? -10 : 4), `answers ${formatCents(last.cents)}`, { class: "t-admit" })}
    ${told.map((point) => mark(rect(x(point.atMs) - 3, y(point.cents) - 3, 6, 6, "f-b2"), `usage report ${formatCents(point.cents)}`))}
    ${firstReject !== undefined && html`${line(x(firstReject.sentMs), area.top, x(firstReject.sentMs), area.bottom, "s-reject", 1.4)}${text(x(firstReject.sentMs) + 5, area.top + 10, "first 429")}`}
    ${flagged.map((op) => mark(html`<path d="M${px(x(op.sentMs))} ${px(area.bottom - 1)}l-5 -9h10z" class="f-fail" />`, `#${op.seq} admitted past the cap`))}`,
  });
}
