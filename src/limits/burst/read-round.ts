import type { LimitOp } from "../history/op.ts";

/** One use of a burst allowance, as its requests say it. */
export interface RoundOps {
  readonly kind: "volley" | "sequential";
  readonly ops: readonly LimitOp[];
  readonly admitted: readonly LimitOp[];
  readonly rejected: readonly LimitOp[];
  /** Earliest instant at which the allowance can have been used up: the send instant of its last request. */
  readonly earliestMs: number | null;
}

/** `refusalMs`: receipt of the first refusal, null when nothing was refused. */
export function readRound(
  kind: RoundOps["kind"],
  ops: readonly LimitOp[],
  burst: number,
): { readonly round: RoundOps; readonly refusalMs: number | null } {
  const admitted = ops.filter((op) => op.outcome === "admitted");
  const rejected = ops.filter((op) => op.outcome === "rejected");
  // One that was never answered may have been served as well.
  const last = ops.filter((op) => op.outcome === "admitted" || op.outcome === "maybe")[burst - 1];
  const refusalMs = rejected.reduce((least, op) => Math.min(least, op.headersMs), Number.POSITIVE_INFINITY);
  return {
    round: { kind, ops, admitted, rejected, earliestMs: last?.sentMs ?? null },
    refusalMs: Number.isFinite(refusalMs) ? refusalMs : null,
  };
}
