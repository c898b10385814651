import type { LimitOp } from "./op.ts";

/** Run-clock span in which a billing cycle may have ended. */
export interface CycleEnd {
  readonly fromMs: number;
  readonly toMs: number;
}

const dayMs = 86_400_000;

/**
 * The places among these requests at which a billing cycle may have ended: at the end that a refusal states, a month before
 * that, and at the end of a calendar month. As long as no refusal names an end, it may have been before any of them.
 */
export function possibleCycleEnds(ops: readonly LimitOp[], offsetMs: number | null): readonly CycleEnd[] {
  const [first] = ops;
  if (!first) return [];
  const lastMs = ops.reduce((most, op) => Math.max(most, op.sentMs), first.sentMs);
  const named = ops.flatMap((op) => {
    const waitMs = op.outcome === "rejected" ? (op.retry?.bodyMs?.waitMs ?? null) : null;
    return waitMs === null ? [] : [{ fromMs: op.sentMs + waitMs - 1000, toMs: op.headersMs + waitMs + 1000 }];
  });
  if (named.length === 0) return ops.map(({ sentMs }) => ({ fromMs: sentMs, toMs: sentMs - 1e-6 }));
  const months = [0, 28, 29, 30, 31].flatMap((days) =>
    named.map(({ fromMs, toMs }) => ({ fromMs: fromMs - days * dayMs, toMs: toMs - days * dayMs })),
  );
  const calendar = offsetMs === null ? [] : monthStarts(first.sentMs + offsetMs, lastMs + offsetMs);
  const all = [...months, ...calendar.map((atMs) => ({ fromMs: atMs - offsetMs! - 2000, toMs: atMs - offsetMs! + 2000 }))];
  return all.filter(({ fromMs, toMs }) => toMs >= first.sentMs && fromMs <= lastMs);
}

function monthStarts(fromUnixMs: number, toUnixMs: number): readonly number[] {
  const from = new Date(fromUnixMs - 5000);
  const next = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1);
  return next <= toUnixMs + 5000 ? [next] : [];
}
