import type { LimitTimelineOp } from "../../core/result/limits-result.ts";
import { formatCount } from "../text/format-number.ts";
import type { NumberScale } from "./axes.ts";
import { px } from "./svg.ts";

export interface Lane {
  readonly title: string;
  readonly count: string;
  readonly tone: "admit" | "reject" | "queue" | "other";
  readonly top: number;
  readonly bottom: number;
  /** Path of every plain interval, stroked `thickness` wide. */
  readonly bars: string;
  readonly thickness: number;
  readonly flagged: readonly { readonly op: LimitTimelineOp; readonly y: number; readonly height: number }[];
}

const lanes: readonly (readonly [LimitTimelineOp["lane"], Lane["tone"]])[] = [
  ["admitted", "admit"],
  ["rejected", "reject"],
  ["queued", "queue"],
  ["other", "other"],
];

const rowHeight = 4;
const rowGap = 1;
const maxRows = 9;
const maxBars = 2_000;

/** Lanes by outcome; inside a lane concurrent requests lie beneath each other, so that overlap can be seen. */
export function layOutLanes(ops: readonly LimitTimelineOp[], x: NumberScale, firstTop: number): readonly Lane[] {
  let top = firstTop;
  const drawn: Lane[] = [];
  for (const [name, tone] of lanes) {
    const members = ops.filter((op) => op.lane === name).sort((a, b) => a.sentMs - b.sentMs || a.seq - b.seq);
    if (members.length === 0) continue;
    const rows = assignRows(members, x);
    const height = Math.max(28, (Math.max(...rows.values()) + 1) * (rowHeight + rowGap));
    drawn.push(drawMembers(name, tone, members, rows, x, top + 14, height));
    top += height + 26;
  }
  return drawn;
}

function drawMembers(
  title: string,
  tone: Lane["tone"],
  members: readonly LimitTimelineOp[],
  rows: ReadonlyMap<number, number>,
  x: NumberScale,
  top: number,
  height: number,
): Lane {
  const barOf = (op: LimitTimelineOp, y: number): string => {
    const start = x(op.sentMs);
    const length = Math.max(1.4, x(op.headersMs ?? op.sentMs) - start);
    return `M${px(start)} ${px(y + rowHeight / 2)}h${px(length)}`;
  };
  const yOf = (op: LimitTimelineOp): number => top + (rows.get(op.seq) ?? 0) * (rowHeight + rowGap);
  const flagged = members.filter((op) => op.findings.length > 0).slice(0, 400);
  const plain = thinColumns(
    members.filter((op) => op.findings.length === 0),
    rows,
    x,
  );
  return {
    title,
    count: formatCount(members.length),
    tone,
    top,
    bottom: top + height,
    bars: plain.map((op) => barOf(op, yOf(op))).join(""),
    thickness: rowHeight,
    flagged: flagged.map((op) => ({ op, y: yOf(op), height: rowHeight })),
  };
}

/** First row that is free at the instant of sending; when all are taken, the one that frees first. */
function assignRows(ops: readonly LimitTimelineOp[], x: NumberScale): ReadonlyMap<number, number> {
  const ends: number[] = [];
  const rows = new Map<number, number>();
  for (const op of ops) {
    const start = x(op.sentMs);
    const end = Math.max(start + 1.8, x(op.headersMs ?? op.sentMs) + 0.4);
    let row = ends.findIndex((taken) => taken <= start);
    if (row === -1) row = ends.length < maxRows ? ends.length : ends.indexOf(Math.min(...ends));
    ends[row] = end;
    rows.set(op.seq, row);
  }
  return rows;
}

/** Too many for the page: one bar for each pixel column and row. */
function thinColumns(
  ops: readonly LimitTimelineOp[],
  rows: ReadonlyMap<number, number>,
  x: NumberScale,
): readonly LimitTimelineOp[] {
  if (ops.length <= maxBars) return ops;
  const taken = new Set<string>();
  const thinned = ops.filter((op) => {
    const cell = `${Math.floor(x(op.sentMs) / 2)} ${rows.get(op.seq) ?? 0}`;
    if (taken.has(cell)) return false;
    taken.add(cell);
    return true;
  });
  return thinned.slice(0, maxBars);
}
