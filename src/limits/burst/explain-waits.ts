import type { Exchange } from "../../core/exchange/exchange.ts";
import { findStalls, witnessOf } from "../../core/exchange/find-stalls.ts";
import { answeredAt, between, sentAt } from "../../core/exchange/instant.ts";
import type { LimitOp } from "../history/op.ts";

/** So much of a wait at least is the service's own where the instrument was not the one that was late. */
const ownShare = 0.5;

/**
 * Says of a request that waited for its answer whether that shows nothing about it: the instrument read it late, or requests of other
 * keys and of none waited as long.
 */
export function explainWaits(exchanges: readonly Exchange[]): (op: LimitOp) => boolean {
  const bySeq = new Map(exchanges.map((exchange) => [exchange.seq, exchange]));
  const witnesses = exchanges.filter((exchange) => !isHeldByALimit(exchange));
  return ({ seq, key, sentMs, headersMs }) => {
    const timing = bySeq.get(seq)?.timing;
    if (timing === undefined || !Number.isFinite(headersMs)) return false;
    const answered = answeredAt(timing);
    if (answered === null) return false;
    // Records that do not say how late the instrument was are judged as they were.
    const isLate = timing.lateMs !== undefined && between(sentAt(timing), answered).leastMs < ownShare * (headersMs - sentMs);
    return (
      isLate || findStalls(witnesses.filter(({ keyName }) => keyName !== key).map(witnessOf)).isStall(seq, sentMs, headersMs)
    );
  };
}

/** An allowance that another exam uses up may hold its own requests at the same time: they are no witnesses. */
function isHeldByALimit({ intent }: Exchange): boolean {
  return intent.kind === "limit" && intent.policy === "burst" && intent.phase !== "other-key";
}
