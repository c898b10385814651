import type { ProbeTools } from "../probe/probe-tools.ts";
import { reportLagMs } from "./crossing-checks.ts";

/**
 * Reads what a usage report shows until that is enough, at most for as long as a report may be behind. `isEnough` is given the reading and
 * the one before it; null: it is the first.
 */
export async function readUntil<Value>(
  tools: Pick<ProbeTools, "sleep">,
  read: () => Promise<Value>,
  isEnough: (now: Value, last: Value | null) => boolean,
): Promise<Value> {
  let last: Value | null = null;
  let now = await read();
  for (let waitedMs = 0; !isEnough(now, last) && waitedMs < reportLagMs; waitedMs += 1500) {
    await tools.sleep(1500, "the usage report catches up");
    last = now;
    now = await read();
  }
  return now;
}
