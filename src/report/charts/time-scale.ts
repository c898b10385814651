import { scaleLinear } from "d3-scale";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatDuration } from "../text/format-number.ts";
import { type Area, instantFormat, instantTicks, type NumberScale } from "./axes.ts";
import { line, rect, text } from "./svg.ts";

/** Time axis of a chart; idle stretches may be folded, and then say so. */
export interface TimeScale {
  readonly scale: NumberScale;
  readonly ticks: readonly number[];
  readonly format: (ms: number) => string;
  readonly folds: readonly { readonly left: number; readonly right: number; readonly idleMs: number }[];
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const foldWidth = 34;
const maxSegments = 9;
/** Of a character of a tick label, at most; and the room between two labels. */
const labelWidth = 7.2;
const labelGap = 8;

/**
 * Linear, unless the activity is so short beside the idle time between that nothing of it could be seen: then idle
 * stretches are folded to a fixed width that names their length, and each stretch of activity has a linear scale of its own.
 */
export function createTimeScale(activity: readonly Span[], whole: Span, left: number, right: number): TimeScale {
  const segments = mergeActivity(activity, whole);
  const busyMs = segments.reduce((sum, segment) => sum + segment.toMs - segment.fromMs, 0);
  if (segments.length < 2 || busyMs > (whole.toMs - whole.fromMs) * 0.4) {
    const scale = scaleLinear([whole.fromMs, whole.toMs], [left, right]);
    const ticks = instantTicks(scale);
    return { scale, ticks, format: instantFormat(ticks), folds: [] };
  }
  return foldIdle(segments, activity, left, right);
}

/** Stretches of activity, the longest idle times between them; at most nine. */
function mergeActivity(activity: readonly Span[], whole: Span): readonly Span[] {
  const sorted = [...activity].sort((a, b) => a.fromMs - b.fromMs);
  const merged: { fromMs: number; toMs: number }[] = [];
  const idleMs = Math.max(300, (whole.toMs - whole.fromMs) * 0.012);
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && span.fromMs - last.toMs <= idleMs) last.toMs = Math.max(last.toMs, span.toMs);
    else merged.push({ ...span });
  }
  while (merged.length > maxSegments) joinNearest(merged);
  return merged.map(({ fromMs, toMs }) => {
    const pad = Math.max(10, (toMs - fromMs) * 0.06);
    return { fromMs: fromMs - pad, toMs: toMs + pad };
  });
}

function joinNearest(spans: { fromMs: number; toMs: number }[]): void {
  let nearest = 1;
  for (let index = 2; index < spans.length; index += 1) {
    if (gapBefore(spans, index) < gapBefore(spans, nearest)) nearest = index;
  }
  const [joined] = spans.splice(nearest, 1);
  const previous = spans[nearest - 1];
  if (joined !== undefined && previous !== undefined) previous.toMs = Math.max(previous.toMs, joined.toMs);
}

function gapBefore(spans: readonly Span[], index: number): number {
  return (spans[index]?.fromMs ?? 0) - (spans[index - 1]?.toMs ?? 0);
}

function foldIdle(segments: readonly Span[], activity: readonly Span[], left: number, right: number): TimeScale {
  const weights = segments.map(
    (segment) => 4 + Math.sqrt(activity.filter((span) => span.fromMs >= segment.fromMs && span.fromMs <= segment.toMs).length),
  );
  const room = right - left - foldWidth * (segments.length - 1);
  const unit = room / weights.reduce((sum, weight) => sum + weight, 0);
  const domain: number[] = [];
  const range: number[] = [];
  const folds: TimeScale["folds"][number][] = [];
  const labels = new Map<number, string>();
  let labelledTo = -Infinity;
  let at = left;
  for (const [index, segment] of segments.entries()) {
    const width = (weights[index] ?? 1) * unit;
    domain.push(segment.fromMs, segment.toMs);
    range.push(at, at + width);
    const inner = scaleLinear([segment.fromMs, segment.toMs], [at, at + width]);
    const ticks = inner.ticks(Math.max(1, Math.floor(width / 110)));
    const shown = ticks.length === 0 ? [(segment.fromMs + segment.toMs) / 2] : ticks;
    const format = instantFormat(shown.length > 1 ? shown : [0, 100]);
    for (const tick of shown) {
      const label = format(tick);
      const [from, to] = [inner(tick) - (label.length * labelWidth) / 2, inner(tick) + (label.length * labelWidth) / 2];
      if (from < right && from > labelledTo + labelGap && to < right + labelGap * 2) {
        labels.set(tick, label);
        labelledTo = to;
      }
    }
    const next = segments[index + 1];
    if (next !== undefined) folds.push({ left: at + width, right: at + width + foldWidth, idleMs: next.fromMs - segment.toMs });
    at += width + foldWidth;
  }
  return { scale: scaleLinear(domain, range), ticks: [...labels.keys()], format: (ms) => labels.get(ms) ?? "", folds };
}

/** White stripes over everything, with the idle time that they stand for. */
export function drawFolds(folds: TimeScale["folds"], area: Area): SafeHtml {
  return html`<g
    >${folds.map(
      (fold) =>
        html`${rect(fold.left, area.top - 1, fold.right - fold.left, area.bottom - area.top + 2, "fold")}${line(fold.left, area.top, fold.left, area.bottom, "edge")}${line(fold.right, area.top, fold.right, area.bottom, "edge")}${text((fold.left + fold.right) / 2, area.top + 12, shortDuration(fold.idleMs), { anchor: "middle", class: "t2" })}`,
    )}</g
  >`;
}

function shortDuration(ms: number): string {
  return ms < 60_000
    ? formatDuration(ms).replace(/\.\d+ s$/, " s")
    : ms < 3_600_000
      ? `${Math.round(ms / 60_000)} min`
      : ms < 172_800_000
        ? `${Math.round(ms / 3_600_000)} h`
        : `${Math.round(ms / 86_400_000)} d`;
}

/** First and last instant of a scale, folded or not. */
export function extentOf(scale: NumberScale): readonly [fromMs: number, toMs: number] {
  const domain = scale.domain();
  return [domain[0] ?? 0, domain.at(-1) ?? 1];
}
