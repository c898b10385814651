import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { LimitOp, OpOf } from "../history/op.ts";

/** Simultaneous streams that were left in one way, between two readings that were served. */
export interface LeftTogether {
  readonly phase: LimitPhases["tokens"];
  readonly before: LimitOp;
  readonly streams: readonly LimitOp[];
  /** The last reading before anything else was sent. */
  readonly after: LimitOp;
}

const read: ReadonlySet<LimitPhases["tokens"]> = new Set(["left-reading", "left-again"]);

/** Whether it is one of the requests that leave, or stands between them. */
export function isOfLeaving({ phase }: OpOf<"tokens">): boolean {
  return phase === "charge-left" || phase.startsWith("left-");
}

export function findLeftTogether(ops: readonly OpOf<"tokens">[], phase: LimitPhases["tokens"]): LeftTogether | null {
  const own = ops.filter((op) => op.phase === phase);
  const streams = own.filter(({ outcome }) => outcome === "admitted");
  const from = ops.findIndex((op) => op.phase === phase);
  const rest = ops.slice(from + own.length);
  const end = rest.findIndex((op) => !read.has(op.phase));
  const after = (end < 0 ? rest : rest.slice(0, end)).findLast(({ outcome }) => outcome === "admitted");
  const before = ops.slice(0, Math.max(0, from)).findLast((op) => read.has(op.phase) && op.outcome === "admitted");
  return before === undefined || after === undefined || streams.length === 0 ? null : { phase, before, streams, after };
}
