import { mostRefill } from "../tokens/most-refill.ts";
import { groupBy } from "../../core/group-by.ts";
import { certainlyCharged } from "../history/certainly-charged.ts";
import type { LimitOp } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import type { LateAdmission } from "../tokens/check-token-limit.ts";
import { chargeDelayUnderLoadMs } from "./charge-delay-under-load.ts";

/**
 * A request that was admitted before its window ended, and long after answers of the same label had used up its tokens. A label of the past,
 * or one further away than a window, names no window that the request was counted in. null: none.
 */
export function findLateAdmission(ops: readonly LimitOp[], tolerances: Tolerances): LateAdmission | null {
  const { windowMs, granularityMs, fuzzMs } = tolerances;
  for (const own of groupBy(ops, ({ tokens }) => `${tokens.limit} ${tokens.resetMs}`).values()) {
    const { limit, resetMs } = own[0].tokens;
    if (limit === null || resetMs === null) continue;
    const byEnd = own.toSorted((a, b) => a.endMs - b.endMs);
    let [ended, used, firstMs] = [0, 0, Number.POSITIVE_INFINITY];
    for (const late of own.toSorted((a, b) => a.sentMs - b.sentMs)) {
      for (
        let next = byEnd[ended];
        next !== undefined && next.endMs + chargeDelayUnderLoadMs < late.sentMs;
        next = byEnd[ended]
      ) {
        used += certainlyCharged(next);
        firstMs = Math.min(firstMs, next.sentMs);
        ended += 1;
      }
      const refill = mostRefill(limit, { fromMs: firstMs, untilMs: late.headersMs }, tolerances);
      if (ended === 0 || used < limit + refill) continue;
      const serviceMs = late.dateMs ?? (late.ownOffsetMs === null ? null : late.headersMs + late.ownOffsetMs);
      const isAhead = serviceMs !== null && serviceMs + fuzzMs < resetMs && resetMs <= serviceMs + windowMs + granularityMs;
      if (isAhead) return { ...latestOf(byEnd.slice(0, ended), limit + refill), late, limit, refill };
    }
  }
  return null;
}

/** The last of them that prove it. */
function latestOf(ended: readonly LimitOp[], needed: number): Pick<LateAdmission, "window" | "used"> {
  let [from, used] = [ended.length, 0];
  while (from > 0 && used < needed) {
    from -= 1;
    const op = ended[from];
    if (op !== undefined) used += certainlyCharged(op);
  }
  return { window: ended.slice(from), used };
}
