import { scaleLinear } from "d3-scale";
import { html, type SafeHtml } from "../escape/safe-html.ts";
import { formatNumber } from "../text/format-number.ts";
import { bottomAxis, leftAxis } from "./axes.ts";
import { mark, path, polyline, px, svg, text } from "./svg.ts";

interface PointLabel {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

interface PlacedLabel extends PointLabel {
  readonly anchor: "start" | "end";
}

/** Of a letter of the labels of charts, about. */
const letterWidth = 7;
const lineHeight = 13;

/** Places the labels of points beside them, none on another. A label that has no place left is left out. */
export function placeLabels(points: readonly PointLabel[]): readonly PlacedLabel[] {
  const taken: Box[] = [];
  return points.flatMap((point) => {
    const found = placesOf(point)
      .map((place) => ({ place, box: boxOf(place) }))
      .find(({ box }) => !taken.some((other) => overlaps(box, other)));
    if (found === undefined) return [];
    taken.push(found.box);
    return [found.place];
  });
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/** Right above, left above, right below, left below. */
function placesOf({ x, y, label }: PointLabel): readonly PlacedLabel[] {
  return ([-5, 14] as const).flatMap((down) => [
    { x: x + 7, y: y + down, label, anchor: "start" as const },
    { x: x - 7, y: y + down, label, anchor: "end" as const },
  ]);
}

function boxOf({ x, y, label, anchor }: PlacedLabel): Box {
  const width = letterWidth * label.length;
  return anchor === "start" ? { left: x, right: x + width, bottom: y } : { left: x - width, right: x, bottom: y };
}

function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && Math.abs(one.bottom - other.bottom) < lineHeight;
}

/** One level of load as the published curve shows it. */
export interface CurvePoint {
  readonly label: string;
  /** Tokens a second that one user sees while an answer comes: 1 over the median time per output token. */
  readonly perUser: number;
  /** Output tokens a second of all users. */
  readonly inAll: number;
  readonly ttftMs: number | null;
  readonly tpotMs: number | null;
}

export interface ThroughputCurve {
  readonly name: string;
  readonly points: readonly CurvePoint[];
}

/** Lines after these look like earlier ones: a chart holds no more. */
export const curveTones = ["b2", "admit", "b3", "fail", "other"] as const;

/** Tokens a second in all against those of one user, a line a run; beneath it the medians of TTFT and TPOT on the same axis. */
export function drawThroughputCurve(curves: readonly ThroughputCurve[], title: string, description: string): SafeHtml {
  const points = curves.flatMap((curve) => curve.points);
  const most = (of: (point: CurvePoint) => number | null): number =>
    1.08 * Math.max(1e-9, ...points.map((point) => of(point) ?? 0));
  const x = scaleLinear(rangeOf(points.map(({ perUser }) => perUser)), [86, 900]);
  const upper = { left: 86, right: 900, top: 26, bottom: 230 };
  const middle = { left: 86, right: 900, top: 266, bottom: 336 };
  const lower = { left: 86, right: 900, top: 372, bottom: 442 };
  const inAll = scaleLinear([0, most((point) => point.inAll)], [upper.bottom, upper.top]);
  const ttft = scaleLinear([0, most(({ ttftMs }) => ttftMs)], [middle.bottom, middle.top]);
  const tpot = scaleLinear([0, most(({ tpotMs }) => tpotMs)], [lower.bottom, lower.top]);
  const format = (value: number): string => formatNumber(value);
  const drawn = curves.map(({ name, points: own }, place) => {
    const tone = curveTones[place % curveTones.length] ?? "other";
    const panels = [
      own.map((point) => [x(point.perUser), inAll(point.inAll)] as const),
      own.flatMap((point) => (point.ttftMs === null ? [] : [[x(point.perUser), ttft(point.ttftMs)] as const])),
      own.flatMap((point) => (point.tpotMs === null ? [] : [[x(point.perUser), tpot(point.tpotMs)] as const])),
    ];
    return html`${panels.map((panel) => path(polyline(panel), `s-${tone}`, 2))}${panels.slice(1).map((panel) => panel.map(([cx, cy]) => html`<circle cx="${px(cx)}" cy="${px(cy)}" r="3" class="f-${tone}" />`))}${own.map(
      (point) =>
        mark(
          html`<circle cx="${px(x(point.perUser))}" cy="${px(inAll(point.inAll))}" r="4" class="f-${tone}" />`,
          `${name}, ${point.label}: ${formatNumber(point.perUser)} tokens/s for a user, ${formatNumber(point.inAll)} in all`,
        ),
    )}`;
  });
  // Curves of few points first: a line is known by its labels at some levels, a point alone only by its own.
  const labels = placeLabels(
    curves
      .toSorted((one, other) => one.points.length - other.points.length)
      .flatMap((curve) =>
        curve.points.toReversed().map((point) => ({ x: x(point.perUser), y: inAll(point.inAll), label: point.label })),
      ),
  );
  return svg({
    height: 484,
    title,
    description,
    body: html`${leftAxis({ scale: inAll, area: upper, label: "tokens/s", format })}${leftAxis({ scale: ttft, area: middle, label: "TTFT ms", format, count: 2 })}${leftAxis({ scale: tpot, area: lower, label: "TPOT ms", format, count: 2 })}${bottomAxis({ scale: x, area: { ...lower, top: upper.top }, label: "output tokens per second for one user", format })}
    ${drawn}${labels.map((label) => text(label.x, label.y, label.label, { class: "t2", anchor: label.anchor }))}`,
  });
}

/** Of the largest value: a narrower range would show the noise of one level as a curve. */
const leastRange = 0.1;

/** From zero, unless all values lie close together in the upper half: their labels would stand on each other. */
function rangeOf(values: readonly number[]): readonly [number, number] {
  const [least, most] = [Math.min(...values), Math.max(1e-9, ...values)];
  const spread = most - least;
  if (least <= most / 2 || spread === 0) return [0, 1.08 * most];
  const missing = Math.max(0, leastRange * most - spread);
  return [least - 0.08 * spread - missing / 2, most + 0.16 * spread + missing / 2];
}
