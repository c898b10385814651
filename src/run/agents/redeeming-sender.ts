import type { Prices } from "../../core/manifest.ts";
import type { EscrowCounters } from "../../distributed/budget/escrow-counters.ts";
import type { LoadSender } from "../../load/send/load-sender.ts";
import { wrapSender } from "../../load/send/wrap-sender.ts";
import { worstOf } from "./worst-of.ts";

/** Stands right before the wire, which takes from the budget as it is called: what was pledged for the request is free until then. */
export function createRedeemingSender(wire: LoadSender, counters: Pick<EscrowCounters, "redeem">, prices: Prices): LoadSender {
  return wrapSender(wire, (request) => {
    if (request.required !== true) counters.redeem(worstOf(request, prices));
    return wire.send(request);
  });
}
