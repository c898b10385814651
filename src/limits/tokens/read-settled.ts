import type { LimitOp } from "../history/op.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { chatProbe, tiny } from "./chat-probe.ts";
import { fitsCharge } from "./fits-charge.ts";

/** The reading after a charge: charges may be counted late, so that one which does not fit is taken again, and the second one counts. */
export async function readSettled(tools: ProbeTools, key: string, before: LimitOp, charged: LimitOp): Promise<LimitOp> {
  const read = (): Promise<LimitOp> => tools.send(chatProbe(tools, key, "reading", tiny));
  await tools.sleep(1200, "charges settle");
  const first = await read();
  if (fitsCharge(before, charged, first, tools.windowMs)) return first;
  await tools.sleep(chargeDelayMs - 1000, "charges settle");
  return read();
}
