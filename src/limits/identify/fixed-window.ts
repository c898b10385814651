import { ascending, countBelow, countUpTo } from "../../core/sorted.ts";
import { windowIndex } from "../models/clock-windows.ts";
import { examineGrids, phasesOf, type IdleStretch } from "./idle-parts.ts";
import type { FamilyId } from "../models/limiter-model.ts";
import { refuted, usedBounds, type Family, type FamilyInput, type FamilyOp, type FamilyVerdict } from "./family.ts";

/**
 * Windows at multiples of their length; the phase is not known and is searched in half-second steps. A limiter that forgets a key
 * after an idle window begins a new grid with its next request.
 */
export const fixedAligned: Family = {
  id: "fixed-window",
  examine: (input) => examineGrids(input, searchPhase),
};

/** null where some phase of the windows explains all of it, else the first refutation. */
function searchPhase({ input, begins }: IdleStretch): FamilyVerdict | null {
  const stepMs = Math.min(500, input.windowMs / 120);
  // A request that begins the grid is not decided in a window before it, whatever the allowance for clocks.
  const least = begins === null ? Number.NEGATIVE_INFINITY : 1;
  let closest: FamilyVerdict | null = null;
  for (const beginMs of begins ?? phasesOf(input, stepMs)) {
    const originMs = beginMs - input.windowMs;
    const slackMs = stepMs / 2 + input.fuzzMs + 1;
    const index = (ms: number): number => windowIndex(ms, originMs, input.windowMs);
    const verdict = examineWindows(input, "fixed-window", (op) => [
      Math.max(least, index(op.sentMs - slackMs)),
      Math.max(least, index(Math.min(op.headersMs, op.sentMs + 1e7) + slackMs)),
    ]);
    if (verdict === null) return null;
    closest ??= verdict;
  }
  return closest;
}

/** A window begins with the first request after the last one ended. */
export const fixedFromFirst: Family = {
  id: "fixed-from-first",
  examine: (input) => {
    const chains = splitAtSilences(input).map((ops) => ({ firstMs: ops[0]!.sentMs, ...chainStarts({ ...input, ops }) }));
    const begins = ascending(chains.map(({ firstMs }) => firstMs));
    const offsets = chains.map((_, index) => chains.slice(0, index).reduce((sum, { early }) => sum + early.length + 1, 0));
    const verdict = examineWindows(input, "fixed-from-first", (op) => {
      const at = Math.max(0, countUpTo(begins, op.sentMs) - 1);
      const { early, late } = chains[at]!;
      const latest = Math.max(0, countUpTo(early, Math.min(op.headersMs, Number.MAX_VALUE)) - 1);
      const earliest = Math.max(0, countUpTo(late, op.sentMs) - 1);
      return [offsets[at]! + Math.min(earliest, latest), offsets[at]! + latest];
    });
    return (
      verdict ?? {
        possible: true,
        parameters: { limit: input.limit, windowSeconds: input.windowMs / 1000, before: input.before === 1 },
      }
    );
  },
};

/**
 * Parts of a history between which every window had ended: the next request begins one for certain, however uncertain the windows
 * before it were. A request that was never answered may begin one at any time, so that nothing after it is cut off.
 */
function splitAtSilences({ ops, windowMs, granularityMs, fuzzMs }: FamilyInput): readonly (readonly FamilyOp[])[] {
  const parts: FamilyOp[][] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const op of ops) {
    const part = parts.at(-1);
    if (part === undefined || op.sentMs > endMs + windowMs + granularityMs + fuzzMs) parts.push([op]);
    else part.push(op);
    endMs = Math.max(endMs, op.headersMs);
  }
  return parts;
}

/** Earliest and latest start of each window: the end of the one before, then the first request that may or must lie behind it. */
function chainStarts(input: FamilyInput): { readonly early: Float64Array; readonly late: Float64Array } {
  const { ops, windowMs, granularityMs, fuzzMs } = input;
  const slackMs = granularityMs + fuzzMs;
  const early: number[] = [];
  const late: number[] = [];
  let earlyEnd = Number.NEGATIVE_INFINITY;
  let lateEnd = Number.NEGATIVE_INFINITY;
  for (;;) {
    const may = ops.find((op) => op.headersMs >= earlyEnd);
    const must =
      ops.find((op) => op.sentMs >= lateEnd && op.outcome !== "lost" && op.outcome !== "free") ??
      ops.find((op) => op.sentMs >= lateEnd);
    if (!may) break;
    const from = Math.max(may.sentMs, earlyEnd);
    const to = must ? Math.max(must.headersMs, from) : Number.POSITIVE_INFINITY;
    early.push(from);
    late.push(to);
    if (!Number.isFinite(to)) break;
    earlyEnd = from + windowMs - slackMs;
    lateEnd = to + windowMs + slackMs;
  }
  return { early: Float64Array.from(early), late: Float64Array.from(late) };
}

type Membership = (op: FamilyOp) => readonly [first: number, last: number];

interface Window {
  readonly certain: FamilyOp[];
  readonly possible: FamilyOp[];
}

/** Counts per window, with requests at a boundary counted where that helps the limiter. null: possible. */
function examineWindows(input: FamilyInput, id: FamilyId, membership: Membership): FamilyVerdict | null {
  const windows = new Map<number, Window>();
  const members = input.ops.map((op) => ({ op, span: membership(op) }));
  for (const { op, span } of members) {
    // A window rejects only after it has admitted its limit, also where rejections are counted: they justify nothing.
    if (op.outcome === "rejected") continue;
    for (let index = span[0]; index <= Math.min(span[1], span[0] + 3); index += 1) {
      const window = windows.get(index) ?? { certain: [], possible: [] };
      windows.set(index, window);
      window.possible.push(op);
      if (op.outcome === "admitted" && span[0] === span[1]) window.certain.push(op);
    }
  }
  for (const window of windows.values()) {
    const extra = window.certain[input.limit];
    if (extra) return refuted(id, `${window.certain.length} requests were admitted in one window`, [extra.seq]);
  }
  const counts = new Map([...windows].map(([index, window]) => [index, sortWindow(window)]));
  for (const { op, span } of members) {
    if (op.outcome === "rejected") {
      let most = 0;
      for (let index = span[0]; index <= span[1]; index += 1) most = Math.max(most, windows.get(index)?.possible.length ?? 0);
      if (most < input.limit)
        return refuted(id, `#${op.seq} was rejected with at most ${most} of ${input.limit} used in its window`, [op.seq]);
    }
    const reading = usedBounds(op, input);
    if (!reading) continue;
    // At a boundary the reading may be of either window.
    const fits: string[] = [];
    let fitting = false;
    for (let index = span[0]; index <= Math.min(span[1], span[0] + 3) && !fitting; index += 1) {
      const count = counts.get(index);
      const own = span[0] === span[1] ? 1 - input.before : 0;
      const least = count ? countBelow(count.ends, op.sentMs) + own : 0;
      const most = count ? countUpTo(count.starts, op.headersMs) - input.before : 0;
      fitting = reading[1] >= least && reading[0] <= most;
      fits.push(`${input.limit - most} to ${input.limit - least}`);
    }
    if (!fitting) return refuted(id, `#${op.seq} shows ${op.remaining} remaining; ${fits.join(" or ")} can`, [op.seq]);
  }
  return null;
}

function sortWindow(window: Window): { readonly ends: Float64Array; readonly starts: Float64Array } {
  return {
    ends: ascending(window.certain.map((op) => op.headersMs)),
    starts: ascending(window.possible.map((op) => op.sentMs)),
  };
}
