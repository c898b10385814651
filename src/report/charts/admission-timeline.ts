import { scaleLinear } from "d3-scale";
import { area as areaShape, curveStepAfter } from "d3-shape";
import { findLimitCheck } from "../../core/result/checks/limit-checks.ts";
import type { LimitPolicyResult, LimitTimelineOp } from "../../core/result/limits-result.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatDuration } from "../text/format-number.ts";
import { type Area, bottomAxis, hatchPattern, leftAxis, type NumberScale } from "./axes.ts";
import { layOutLanes, type Lane } from "./request-lanes.ts";
import { line, mark, path, px, rect, svg, text } from "./svg.ts";
import { thinMarks } from "./thin-marks.ts";
import { createTimeScale, drawFolds, extentOf } from "./time-scale.ts";

export interface TimelineParts {
  readonly policy: LimitPolicyResult;
  readonly fromMs: number;
  readonly toMs: number;
  /** Unique in the document; names the hatching. */
  readonly id: string;
  /** Finding ids in the order of their numbers. */
  readonly numbered: readonly string[];
  readonly description: string;
}

/** Whether a check found more admitted than lawful: only then is a full window drawn as overfull. */
export function isWindowBlamed(policy: LimitPolicyResult): boolean {
  return policy.checks.some(({ id, verdict }) => id === "limits.over-admission" && verdict === "fail");
}

const left = 86;
const right = 984;
/** Flagged requests with a tooltip of their own; those beyond are drawn alike, in one path. */
const maxNamedMarks = 24;

/**
 * Declared windows as bands, `remaining` as the service reported it against what a correct limiter could have reported, every
 * request as the closed interval in which it was decided, and cooldowns as promised and as seen. Nothing is drawn
 * where nothing was observed.
 */
export function drawAdmissionTimeline(parts: TimelineParts): SafeHtml {
  const { policy, fromMs, toMs } = parts;
  const { timeline } = policy;
  const ops = timeline.ops.filter((op) => op.sentMs <= toMs && (op.headersMs ?? op.sentMs) >= fromMs);
  // A cooldown is judged by its length: its axis stays linear.
  const time = createTimeScale(
    policy.kind === "burst" ? [] : ops.map((op) => ({ fromMs: op.sentMs, toMs: op.headersMs ?? op.sentMs })),
    { fromMs, toMs },
    left,
    right,
  );
  const x = time.scale;
  // The numbers of requests or tokens in answers say nothing of bursts and caps.
  const counted = policy.kind === "requests" || policy.kind === "tokens";
  const hasRemaining = counted && ops.some((op) => op.remaining !== null);
  const saw: Area = { left, right, top: 48, bottom: hasRemaining ? 174 : 36 };
  const lanes = layOutLanes(ops, x, saw.bottom + (hasRemaining ? 30 : 12));
  const lanesEnd = lanes.at(-1)?.bottom ?? saw.bottom;
  const cooldowns = timeline.cooldowns.filter((cooldown) => cooldown.fromMs <= toMs);
  const cooldownTop = lanesEnd + 12;
  const bottom = cooldowns.length === 0 ? lanesEnd + 10 : cooldownTop + 34;
  const area: Area = { left, right, top: 28, bottom };
  return svg({
    height: bottom + 38,
    title: `Admission timeline of ${policy.title}`,
    description: parts.description,
    body: html`${drawWindows(policy, x, area)}
    ${bottomAxis({ scale: x, area, label: "time since the start of the run", format: time.format, ticks: time.ticks })}
    ${drawFolds(time.folds, area)} ${hasRemaining && drawRemaining(policy, ops, x, saw)} ${lanes.map((lane) => drawLane(lane, x))}
    ${cooldowns.length > 0 && drawCooldowns(cooldowns, x, cooldownTop, parts)} ${drawNumbers(lanes, x, parts.numbered)}`,
  });
}

/** Bands alternate; each names what was certainly admitted against what was declared. */
function drawWindows(policy: LimitPolicyResult, x: NumberScale, area: Area): SafeHtml {
  const [fromMs, toMs] = extentOf(x);
  const shown = policy.timeline.windows.filter((window) => window.toMs > fromMs && window.fromMs < toMs).slice(0, 200);
  return html`<g
    >${shown.map((window, index) => {
      const start = Math.max(left, x(window.fromMs));
      const end = Math.min(right, x(window.toMs));
      const over = isWindowBlamed(policy) && window.certain > window.limit;
      const label = over ? `${window.certain} admitted of ${window.limit}` : `${window.certain} of ${window.limit}`;
      const fits = end - start > label.length * 6.2;
      return html`${index % 2 === 0 && rect(start, area.top, end - start, area.bottom - area.top, "band")}${line(start, area.top - 10, start, area.bottom, "edge")}${fits && text((start + end) / 2, 18, label, { anchor: "middle", class: over ? "tf" : "t2" })}`;
    })}${shown.length > 0 && text(left - 8, 18, "window", { anchor: "end", class: "t2" })}</g
  >`;
}

function drawRemaining(policy: LimitPolicyResult, ops: readonly LimitTimelineOp[], x: NumberScale, saw: Area): SafeHtml {
  const seen = ops.filter((op) => op.remaining !== null);
  const [fromMs, toMs] = extentOf(x);
  const feasible = policy.timeline.feasible.filter((point) => point.atMs >= fromMs && point.atMs <= toMs);
  // The header names the limit of the counter that is drawn; a declared one may be of another.
  const highest = seen.reduce((high, op) => Math.max(high, op.limit ?? 0, op.remaining ?? 0), 0);
  const top = Math.max(1, highest === 0 ? (policy.declared.limit ?? 0) : highest);
  const y = scaleLinear([0, top], [saw.bottom, saw.top]);
  const points = thinMarks(
    seen,
    (op) => op.sentMs,
    (op) => op.remaining ?? 0,
    1_000,
  );
  const runs = splitRuns(
    points.filter((op) => op.lane !== "other"),
    (toMs - fromMs) * 0.012,
  );
  const steps = runs.map((run) => stepPath(run, x, y)).join("");
  // Checks decide what is impossible; the chart only rings what they found.
  const counted = new Set(
    policy.checks.filter(({ id }) => findLimitCheck(id)?.subject === "remaining").flatMap((check) => check.findings),
  );
  const flagged = seen.filter((op) => op.findings.some((id) => counted.has(id)));
  return html`<g
    >${leftAxis({ scale: y, area: saw, label: "", format: String, count: 3 })}
    ${text(left - 8, saw.top - 10, "remaining", { anchor: "end", class: "t2" })}
    ${drawFeasible(feasible, x, y, (toMs - fromMs) * 0.012)} ${path(steps, "s-admit", 1.4)}
    ${drawDots(
      points.filter((op) => op.lane !== "other"),
      "s-admit",
      x,
      y,
    )}${drawDots(
      points.filter((op) => op.lane === "other"),
      "s-other",
      x,
      y,
    )}
    ${flagged.slice(0, maxNamedMarks).map((op) => mark(html`<circle cx="${px(x(op.headersMs ?? op.sentMs))}" cy="${px(y(op.remaining ?? 0))}" r="4.5" class="s-fail" stroke-width="1.6" />`, `#${op.seq}: remaining ${op.remaining ?? ""}, ${op.findings.join(" ")}`))}</g
  >`;
}

function drawDots(ops: readonly LimitTimelineOp[], name: string, x: NumberScale, y: NumberScale): SafeHtml {
  const places = new Set(ops.map((op) => `M${Math.round(x(op.headersMs ?? op.sentMs))} ${Math.round(y(op.remaining ?? 0))}h0`));
  const d = [...places].join("");
  return html`<path d="${d}" class="${name}" stroke-width="3" stroke-linecap="round" />`;
}

/** Parts with no observation for long, or across a new window, are not joined. */
function splitRuns(ops: readonly LimitTimelineOp[], maxGapMs: number): readonly (readonly LimitTimelineOp[])[] {
  const runs: LimitTimelineOp[][] = [];
  let previous: LimitTimelineOp | null = null;
  for (const op of [...ops].sort((a, b) => (a.headersMs ?? a.sentMs) - (b.headersMs ?? b.sentMs))) {
    const apart =
      previous === null ||
      op.sentMs - (previous.headersMs ?? previous.sentMs) > maxGapMs ||
      (op.remaining ?? 0) > (previous.remaining ?? 0) + 4;
    if (apart) runs.push([op]);
    else runs.at(-1)?.push(op);
    previous = op;
  }
  return runs;
}

function stepPath(run: readonly LimitTimelineOp[], x: NumberScale, y: NumberScale): string {
  return run
    .map((op, index) => {
      const at = px(x(op.headersMs ?? op.sentMs));
      return index === 0 ? `M${at} ${px(y(op.remaining ?? 0))}` : `H${at}V${px(y(op.remaining ?? 0))}`;
    })
    .join("");
}

function drawFeasible(
  points: LimitPolicyResult["timeline"]["feasible"],
  x: NumberScale,
  y: NumberScale,
  maxGapMs: number,
): SafeHtml {
  // Steps, as the line has them: a slope between two answers would claim what nobody saw.
  const shape = areaShape<(typeof points)[number]>()
    .curve(curveStepAfter)
    .x((point) => Math.round(x(point.atMs) * 10) / 10)
    .y0((point) => Math.round(y(point.low) * 10) / 10)
    .y1((point) => Math.round(y(point.high) * 10) / 10);
  const thinned = thinMarks(
    points,
    (point) => point.atMs,
    (point) => point.high - point.low,
    1_000,
  );
  const runs: (typeof points)[number][][] = [];
  for (const point of thinned) {
    const previous = runs.at(-1)?.at(-1);
    if (previous === undefined || point.atMs - previous.atMs > maxGapMs || point.high > previous.high + 4) runs.push([point]);
    else runs.at(-1)?.push(point);
  }
  return html`<path d="${runs.map((run) => shape(run) ?? "").join("")}" class="f-feasible" opacity=".55" />`;
}

function drawLane(lane: Lane, x: NumberScale): SafeHtml {
  const middle = (lane.top + lane.bottom) / 2;
  return html`<g
    >${line(left, lane.bottom + 3, right, lane.bottom + 3, "grid")}${text(left - 8, middle + 1, lane.title, { anchor: "end" })}${text(left - 8, middle + 14, lane.count, { anchor: "end", class: "t2" })}
    <path d="${lane.bars}" class="s-${lane.tone}" stroke-width="${lane.thickness}" />
    ${drawUnnamed(lane.flagged.slice(maxNamedMarks), x)}${lane.flagged.slice(0, maxNamedMarks).map((flag) => mark(rect(x(flag.op.sentMs) - 0.5, flag.y - 1, Math.max(3, x(flag.op.headersMs ?? flag.op.sentMs) - x(flag.op.sentMs)) + 1, flag.height + 2, "f-fail", 1), describeOp(flag.op)))}</g
  >`;
}

function drawUnnamed(flagged: Lane["flagged"], x: NumberScale): SafeHtml | null {
  if (flagged.length === 0) return null;
  const bars = flagged.map(({ op, y, height }) => {
    const start = x(op.sentMs);
    return `M${px(start)} ${px(y + height / 2)}H${px(Math.max(start + 3, x(op.headersMs ?? op.sentMs)))}`;
  });
  return path(bars.join(""), "s-fail", 4);
}

function describeOp(op: LimitTimelineOp): string {
  const head = op.headersMs === null ? "no answer" : `head +${(op.headersMs / 1000).toFixed(3)} s`;
  return `#${op.seq} ${op.endpoint ?? ""} ${op.phase}: sent +${(op.sentMs / 1000).toFixed(3)} s, ${head}, ${op.status ?? "no status"}, remaining ${op.remaining ?? "not reported"}`;
}

function drawCooldowns(
  cooldowns: LimitPolicyResult["timeline"]["cooldowns"],
  x: NumberScale,
  top: number,
  parts: TimelineParts,
): SafeHtml {
  const hatch = `${parts.id}-hatch`;
  let labelledTo = -Infinity;
  /** Beneath its bar; nothing where the one before still stands. */
  const label = (at: number, words: string): SafeHtml | false => {
    if (at < labelledTo) return false;
    labelledTo = at + words.length * 7;
    // Words that begin near the right edge end there.
    return labelledTo > right
      ? text(right, top + 30, words, { anchor: "end", class: "t2" })
      : text(at, top + 30, words, { class: "t2" });
  };
  return html`<g
    >${hatchPattern(hatch, "s-reject")}${text(left - 8, top + 16, "cooldown", { anchor: "end" })}${cooldowns
      .slice(0, 60)
      .map((cooldown) => {
        const start = Math.max(left, x(cooldown.fromMs));
        const end = (instant: number): number => Math.min(right, Math.max(start, x(instant)));
        const promised =
          cooldown.promisedMs !== null &&
          html`<rect
              x="${px(start)}"
              y="${px(top)}"
              width="${px(end(cooldown.promisedMs) - start)}"
              height="10"
              fill="url(#${hatch})"
            />${label(start + 6, `promised ${formatDuration(cooldown.promisedMs - cooldown.fromMs)}${cooldown.observedMs === null ? "" : `, first admission after ${formatDuration(cooldown.observedMs - cooldown.fromMs)}`}`)}`;
        const observed =
          cooldown.observedMs !== null &&
          html`${rect(start, top + 12, end(cooldown.observedMs) - start, 4, "f-ink")}${line(end(cooldown.observedMs), top - 2, end(cooldown.observedMs), top + 18, "s-ink", 1.6)}`;
        return html`${promised}${observed}`;
      })}</g
  >`;
}

/** Numbers above the first request of each finding, side by side where findings share it. */
function drawNumbers(lanes: readonly Lane[], x: NumberScale, numbered: readonly string[]): SafeHtml {
  const taken: { readonly at: number; readonly y: number }[] = [];
  return html`<g
    >${numbered.map((id, index) => {
      const hit = lanes.flatMap((lane) => lane.flagged).find((flag) => flag.op.findings.includes(id));
      if (hit === undefined) return null;
      const tip = x((hit.op.sentMs + (hit.op.headersMs ?? hit.op.sentMs)) / 2);
      let at = tip;
      while (taken.some((other) => Math.abs(other.at - at) < 17 && Math.abs(other.y - hit.y) < 17)) at += 17;
      taken.push({ at, y: hit.y });
      return mark(
        html`<path d="M${px(tip)} ${px(hit.y - 2)}L${px(at - 4)} ${px(hit.y - 9)}h8z" class="f-fail" /><circle
            cx="${px(at)}"
            cy="${px(hit.y - 15)}"
            r="8"
            class="f-fail"
          />${text(at, hit.y - 11.5, String(index + 1), { anchor: "middle", class: "ti" })}`,
        id,
      );
    })}</g
  >`;
}
