import type { BoundedTarget } from "../body-bounds.ts";
import type { ExchangeFacts } from "../exchange/exchange-facts.ts";
import { findStalls, witnessOf } from "../exchange/find-stalls.ts";
import { readSlowClient, readTimeOut } from "../exchange/time-out.ts";

/**
 * Says of an exchange that a deadline of ours ended, or that was cut, why that shows nothing about the service: the deadline was shorter
 * than what the manifest allows, the instrument was late, or the whole service stood still. null: nothing explains it.
 */
export function explainTimeOuts(
  exchanges: readonly ExchangeFacts[],
  target: BoundedTarget,
): (exchange: ExchangeFacts) => string | null {
  const stalls = findStalls(exchanges.map(witnessOf));
  return (exchange) => {
    const timeOut = readTimeOut(exchange, target);
    if (timeOut === null) return readSlowClient(exchange);
    if (!timeOut.isSilence) return timeOut.reason;
    const { earliestMs: fromMs } = exchange.sent;
    const { latestMs: toMs } = exchange.ended;
    return stalls.isStall(exchange.seq, fromMs, toMs)
      ? `${timeOut.reason}; nor was any other request answered in those ${((toMs - fromMs) / 1000).toFixed(1)} s`
      : null;
  };
}
