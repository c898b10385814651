import { ascending, countBelow, countUpTo } from "../../core/sorted.ts";
import { windowIndex } from "../models/clock-windows.ts";
import { examineGrids, phasesOf, type IdleStretch } from "./idle-parts.ts";
import { refuted, usedBounds, type Family, type FamilyInput, type FamilyOp, type FamilyVerdict } from "./family.ts";

/**
 * Sliding counter: this window's count plus the last one's, weighted by what of it still lies within a window's reach. Some keep one
 * grid of windows for ever, others begin a new one with the first request after idle windows (HAProxy does): then nothing is carried
 * over, and the phase is anew.
 */
export const slidingCounter: Family = {
  id: "sliding-counter",
  examine: (input) => examineGrids(input, searchPhase),
};

/** null where some phase of the windows explains all of it, else the first refutation. */
function searchPhase({ input, begins }: IdleStretch): FamilyVerdict | null {
  const stepMs = Math.min(500, input.windowMs / 120);
  let closest: FamilyVerdict | null = null;
  for (const originMs of begins ?? phasesOf(input, stepMs)) {
    const verdict = examinePhase(input, originMs - 2 * input.windowMs, stepMs / 2 + input.fuzzMs + 1, begins === null ? 0 : 2);
    if (verdict === null) return null;
    closest ??= verdict;
  }
  return closest;
}

const id = "sliding-counter";

interface Cell {
  readonly certainEnds: Float64Array;
  readonly possibleStarts: Float64Array;
}

/** Nothing is decided in a window before `earliest`, however far back its request may lie by the allowance for clocks. */
function examinePhase(input: FamilyInput, originMs: number, slackMs: number, earliest: number): FamilyVerdict | null {
  const { windowMs, limit, before } = input;
  const index = (ms: number): number => windowIndex(ms, originMs, windowMs);
  const certain = new Map<number, FamilyOp[]>();
  const possible = new Map<number, FamilyOp[]>();
  const put = (map: Map<number, FamilyOp[]>, at: number, op: FamilyOp): void => {
    const list = map.get(at);
    if (list) list.push(op);
    else map.set(at, [op]);
  };
  const members = input.ops.map((op) => {
    const first = Math.max(earliest, index(op.sentMs - slackMs));
    const last = Math.max(first, index(Math.min(op.headersMs, op.sentMs + 2 * windowMs) + slackMs));
    for (let at = first; at <= last; at += 1) put(possible, at, op);
    if (first === last && op.outcome === "admitted") put(certain, first, op);
    return { op, first, last };
  });
  const cells = new Map<number, Cell>();
  // Most phases are refuted by one of the first requests: only what is asked for is put in order.
  const cellAt = (at: number): Cell | undefined => {
    const ops = possible.get(at);
    if (ops === undefined) return undefined;
    const known = cells.get(at);
    if (known !== undefined) return known;
    const cell = {
      certainEnds: ascending((certain.get(at) ?? []).map((op) => op.headersMs)),
      possibleStarts: ascending(ops.map((op) => op.sentMs)),
    };
    cells.set(at, cell);
    return cell;
  };
  for (const { op, first, last } of members) {
    if (op.outcome !== "admitted" && op.outcome !== "rejected") continue;
    let doubt: FamilyVerdict | null = null;
    // At a boundary it may have been decided in either window.
    for (let at = first; at <= Math.min(last, first + 2); at += 1) {
      doubt = examineCell(input, op, at, first === last);
      if (doubt === null) break;
    }
    if (doubt !== null) return doubt;
  }
  return null;

  function examineCell(given: FamilyInput, op: FamilyOp, at: number, certainly: boolean): FamilyVerdict | null {
    const own = cellAt(at)!;
    const previous = cellAt(at - 1);
    const endMs = originMs + (at + 1) * windowMs;
    const share = (ms: number): number => Math.min(1, Math.max(0, (endMs - ms) / windowMs));
    // Late writers of the window before may still be missing from its count when this was decided.
    const carriedLow = share(op.headersMs + slackMs) * (previous ? countBelow(previous.certainEnds, op.sentMs) : 0) - 1;
    const carriedHigh = share(op.sentMs - slackMs) * (previous?.possibleStarts.length ?? 0) + 1;
    const low = countBelow(own.certainEnds, op.sentMs) + Math.max(0, carriedLow);
    const high = countUpTo(own.possibleStarts, op.headersMs) - 1 + carriedHigh;
    if (op.outcome === "rejected") {
      const short = `#${op.seq} was rejected at a weighted count of at most ${high.toFixed(1)}`;
      return high < limit - 1 ? refuted(id, short, [op.seq]) : null;
    }
    if (low >= limit + 1)
      return refuted(id, `#${op.seq} was admitted at a weighted count of at least ${low.toFixed(1)}`, [op.seq]);
    const reading = usedBounds(op, given);
    if (!reading) return null;
    const least = low + (certainly ? 1 : 0) - before - 1;
    const most = high + 1 - before + 1;
    if ((reading[1] >= least - 1e-9 || reading[1] >= limit) && reading[0] <= most + 1e-9) return null;
    const can = `${(limit - most).toFixed(1)} to ${(limit - least).toFixed(1)} can`;
    return refuted(id, `#${op.seq} shows ${op.remaining} remaining; ${can}`, [op.seq]);
  }
}
