import { groupBy } from "../../core/group-by.ts";
import type { LimitTimeline, LimitTimelineOp } from "../../core/result/limits-result.ts";
import type { GroupView } from "./group-view.ts";
import type { LimitOp } from "./op.ts";
import { ascending, countBelow, countUpTo } from "../../core/sorted.ts";

/** Most requests that a timeline lists: the report draws them one by one. */
const timelineLimit = 4000;

export function requestTimeline(view: GroupView): LimitTimeline {
  const offsetMs = view.offset === null ? null : (view.offset.lowMs + view.offset.highMs) / 2;
  const ops = view.ops.filter((op) => op.policy !== "").slice(0, timelineLimit);
  const shown = ops.length > 0 ? ops : view.ops.slice(0, timelineLimit);
  return {
    ops: shown.map((op) => timelineOp(op, offsetMs)),
    windows: labelledWindows(view, offsetMs),
    feasible: feasibleRemaining(view),
    cooldowns: [],
    retryAfter: retryTimeline(view),
    spend: [],
  };
}

export function timelineOp(op: LimitOp, offsetMs: number | null): LimitTimelineOp {
  return {
    seq: op.seq,
    endpoint: op.endpoint,
    phase: op.phase,
    sentMs: op.sentMs,
    headersMs: Number.isFinite(op.headersMs) ? op.headersMs : null,
    lane: op.outcome === "admitted" ? "admitted" : op.outcome === "rejected" ? "rejected" : "other",
    status: op.status,
    limit: op.requests.limit,
    remaining: op.requests.remaining,
    resetMs: op.requests.resetMs === null || offsetMs === null ? null : op.requests.resetMs - offsetMs,
    findings: [],
  };
}

/** Windows by the labels of the responses: how many were certainly admitted under each, how many may have been counted. */
function labelledWindows(view: GroupView, offsetMs: number | null): LimitTimeline["windows"] {
  const { limit, tolerances } = view;
  if (limit === null || offsetMs === null) return [];
  const labels = new Map<number, number>();
  for (const op of view.admitted) {
    if (op.requests.resetMs !== null) labels.set(op.requests.resetMs, (labels.get(op.requests.resetMs) ?? 0) + 1);
  }
  if (labels.size > 40) return [];
  return [...labels]
    .sort(([a], [b]) => a - b)
    .map(([resetMs, certain]) => {
      const toMs = resetMs - offsetMs;
      const fromMs = toMs - tolerances.windowMs;
      return { fromMs, toMs, limit, certain, possible: view.consumers.possible(fromMs, toMs) };
    });
}

/**
 * The range that a counter of the labelled window can have shown to each admitted request: others came certainly or possibly
 * before it.
 */
function feasibleRemaining(view: GroupView): LimitTimeline["feasible"] {
  const { limit } = view;
  if (limit === null) return [];
  const labelled = view.admitted.filter((op) => op.requests.resetMs !== null && Number.isFinite(op.headersMs));
  const windows = groupBy(labelled, ({ requests }) => requests.resetMs);
  // Labels that move with every request name no window.
  if (windows.size > 40) return [];
  return [...windows.values()]
    .flatMap((ops) => {
      const starts = ascending(ops.map((op) => op.sentMs));
      const ends = ascending(ops.map((op) => op.headersMs));
      return ops.map((op) => ({
        atMs: op.headersMs,
        low: Math.max(0, limit - countUpTo(starts, op.headersMs)),
        high: Math.max(0, limit - countBelow(ends, op.sentMs) - 1),
      }));
    })
    .sort((a, b) => a.atMs - b.atMs)
    .slice(0, 2000);
}

function retryTimeline(view: GroupView): LimitTimeline["retryAfter"] {
  const entries = [];
  let next = 0;
  for (const op of view.rejected.slice(0, 400)) {
    if (op.retry === null || op.retry.seconds === null) continue;
    while (next < view.admitted.length && view.admitted[next]!.sentMs < op.headersMs) next += 1;
    entries.push({
      seq: op.seq,
      atMs: op.headersMs,
      promisedMs: op.headersMs + op.retry.seconds * 1000,
      admittedMs: view.admitted[next]?.headersMs ?? null,
      headerSeconds: secondsOf(op.retry.header?.waitMs),
      bodySeconds: secondsOf(op.retry.bodySeconds?.waitMs),
      bodyMs: op.retry.bodyMs?.waitMs ?? null,
    });
  }
  return entries;
}

function secondsOf(waitMs: number | null | undefined): number | null {
  return waitMs === null || waitMs === undefined ? null : waitMs / 1000;
}
