import { median } from "d3-array";
import { scaleLinear } from "d3-scale";
import type { StreamSample } from "../../core/result/load-figures.ts";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatNumber } from "../text/format-number.ts";
import { bottomAxis } from "./axes.ts";
import { line, mark, path, px, rect, svg, text } from "./svg.ts";

const maxStreams = 40;
const maxTicks = 2_400;

/** A gap inside a stream that its reader would notice. */
export interface Stall {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Gaps of at least 200 ms that are five times the usual gap of the stream. */
export function findStalls(stream: StreamSample): readonly Stall[] {
  const gaps = stream.eventsMs.slice(1).map((atMs, index) => ({ fromMs: stream.eventsMs[index] ?? atMs, toMs: atMs }));
  const usual = median(gaps, (gap) => gap.toMs - gap.fromMs) ?? 0;
  return gaps.filter((gap) => gap.toMs - gap.fromMs >= Math.max(200, 5 * usual));
}

/** One lane for each sampled stream, from the intended instant: waiting, head, first text, events, stalls, end. */
export function drawStreamWaterfall(streams: readonly StreamSample[], title: string, description: string): SafeHtml {
  const duration = (stream: StreamSample): number => stream.endMs - stream.intendedMs;
  const rows = [...streams]
    .sort((a, b) => Number(a.why === "random") - Number(b.why === "random") || duration(b) - duration(a))
    .slice(0, maxStreams);
  const x = scaleLinear([0, Math.max(1, ...rows.map(duration))], [86, 872]);
  const bottom = rows.length * 13 + 26;
  const area = { left: 86, right: 872, top: 18, bottom };
  const every = Math.max(1, Math.ceil(rows.reduce((sum, stream) => sum + stream.eventsMs.length, 0) / maxTicks));
  const firstRandom = rows.findIndex((stream) => stream.why === "random");
  return svg({
    height: bottom + 38,
    title,
    description,
    body: html`${bottomAxis({ scale: x, area, label: "ms since the intended instant", format: (ms) => formatNumber(ms) })}${text(890, 30, "slowest", { class: "t2" })}${firstRandom > 0 && html`${line(86, firstRandom * 13 + 20.5, 984, firstRandom * 13 + 20.5, "edge")}${text(890, firstRandom * 13 + 32, "drawn at random", { class: "t2" })}`}
    ${rows.map((stream, index) => drawStream(stream, index * 13 + 22, x, every))}`,
  });
}

function drawStream(stream: StreamSample, y: number, x: (ms: number) => number, every: number): SafeHtml {
  const at = (ms: number): number => x(ms - stream.intendedMs);
  const stalls = findStalls(stream);
  const kept = stream.eventsMs.filter((_, index) => index % every === 0);
  const ticks = kept
    .map((atMs, index) => (index === 0 ? `M${px(at(atMs))} ${px(y)}v8` : `m${px(at(atMs) - at(kept[index - 1] ?? atMs))}-8v8`))
    .join("");
  const head = stream.headersMs ?? stream.endMs;
  const first = stream.firstTokenMs ?? stream.endMs;
  const label = `#${stream.seq}: first text after ${formatNumber(first - stream.intendedMs)} ms, end after ${formatNumber(stream.endMs - stream.intendedMs)} ms, ${stream.done ? "complete" : "broken off"}`;
  return html`${text(78, y + 8, `#${stream.seq}`, { anchor: "end", class: "t2" })}${mark(
    html`${rect(at(stream.sentMs), y + 2, Math.max(0.8, at(head) - at(stream.sentMs)), 4, "f-other")}${rect(at(head), y + 2, at(first) - at(head), 4, "f-feasible")}${path(ticks, "s-admit", 1)}${stalls.map((stall) => line(at(stall.fromMs), y + 4, at(stall.toMs), y + 4, "s-fail", 2))}${stream.done ? html`<circle cx="${px(at(stream.endMs) + 4)}" cy="${px(y + 4)}" r="2.4" class="f-b2" />` : path(`M${px(at(stream.endMs) + 2)} ${px(y + 1)}l6 6m0 -6l-6 6`, "s-fail", 1.8)}`,
    label,
  )}`;
}
