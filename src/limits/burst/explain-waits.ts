import type { Exchange } from "../../core/exchange/exchange.ts";
import { findStalls, type Witness, witnessOf } from "../../core/exchange/find-stalls.ts";
import type { LimitOp } from "../history/op.ts";
import { heldMs, leastHeldMs } from "./held-ms.ts";

/** So much of a wait at least is the service's own where the instrument was not the one that was late. */
const ownShare = 0.5;

/** Whether that a request waited for its answer shows nothing about it: the instrument read it late, or the whole service stood still. */
export type WaitExplainer = (op: LimitOp) => boolean;

/** As the exam of limits sees it: requests of other keys and of none waited as long. */
export function explainWaits(exchanges: readonly Exchange[]): WaitExplainer {
  const witnesses = exchanges.filter((exchange) => !isHeldByALimit(exchange));
  return explainBy((key) => witnesses.filter(({ keyName }) => keyName !== key).map(witnessOf));
}

/** As a load profile sees it: requests of the key itself are all that is seen of the service. */
export function explainWaitsUnderLoad(ops: readonly LimitOp[]): WaitExplainer {
  const witnesses = ops.map(({ seq, sentMs, headersMs, endMs }) => ({ seq, sentMs, headersMs, endMs }));
  return explainBy(() => witnesses);
}

function explainBy(witnessesBeside: (key: string) => readonly Witness[]): WaitExplainer {
  return (op) => {
    const { seq, key, sentMs, headersMs } = op;
    if (!Number.isFinite(headersMs)) return false;
    const isLate = leastHeldMs(op) < ownShare * heldMs(op);
    return isLate || findStalls(witnessesBeside(key)).isStall(seq, sentMs, headersMs);
  };
}

/** An allowance that another exam uses up may hold its own requests at the same time: they are no witnesses. */
function isHeldByALimit({ intent }: Exchange): boolean {
  return intent.kind === "limit" && intent.policy === "burst" && intent.phase !== "other-key";
}
