import type { LimitOp } from "../history/op.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { chatProbe, tiny } from "./chat-probe.ts";

/** The reading after a charge: charges may be counted late, so that one which does not fit is taken again, and the second one counts. */
export async function readSettled(tools: ProbeTools, key: string, before: LimitOp, charged: LimitOp): Promise<LimitOp> {
  const read = (): Promise<LimitOp> => tools.send(chatProbe(tools, key, "reading", tiny));
  await tools.sleep(1200, "charges settle");
  const first = await read();
  if (fitsCharge(before, charged, first, tools.windowMs)) return first;
  await tools.sleep(chargeDelayMs - 1000, "charges settle");
  return read();
}

/** Whether remaining tokens fell by what the request reports, as far as a label that moves permits a refill. */
function fitsCharge(before: LimitOp, charged: LimitOp, after: LimitOp, windowMs: number): boolean {
  if (before.tokens.remaining === null || after.tokens.remaining === null || charged.usedTokens === null) return false;
  const fell = before.tokens.remaining - after.tokens.remaining;
  // A label that moves may be that of a count that refills.
  const moves = before.tokens.resetMs !== after.tokens.resetMs;
  const refill = moves ? ((before.tokens.limit ?? 0) * (after.headersMs - before.sentMs)) / windowMs + 2 : 0;
  return fell >= charged.usedTokens - refill && fell <= charged.usedTokens + 2 * (after.usedTokens ?? 4) + 2;
}
