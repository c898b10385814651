import type { LimitOp } from "../history/op.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { chatProbe, tiny } from "./chat-probe.ts";

/** Until the instant that the label of a reading names; null where it names none. */
export function leftMs(tools: ProbeTools, { tokens: { resetMs }, dateMs }: LimitOp): number | null {
  return resetMs === null ? null : resetMs - (dateMs ?? tools.clock.wallMs());
}

/** Waits for the next window where this one ends too soon; the label of a bucket that is nearly full costs moments. */
export async function freshWindow(tools: ProbeTools, key: string, reading: LimitOp, neededMs: number): Promise<LimitOp> {
  const left = leftMs(tools, reading);
  if (left === null || left <= 0 || left >= Math.min(neededMs, 1.1 * tools.windowMs)) return reading;
  await tools.sleep(left + 2600, "waiting for a fresh token window");
  return tools.send(chatProbe(tools, key, "reading", tiny));
}
