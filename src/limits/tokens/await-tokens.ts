import type { LimitOp } from "../history/op.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { chatProbe, tiny } from "./chat-probe.ts";
import { leftMs } from "./fresh-window.ts";

/** Waits, of which the last ones are for what leaves a log in several portions. */
const mostWaits = 6;
/** All of them, with the time that labels and clocks are off by. */
const longestWindows = 1.1;
const afterResetMs = 2600;

/** Waits until so many tokens remain, as rate and labels of readings say, for a window at most. */
export async function awaitTokens(tools: ProbeTools, key: string, reading: LimitOp, needed: number): Promise<LimitOp> {
  const limit = reading.tokens.limit ?? 0;
  const endMs = tools.clock.nowMs() + longestWindows * tools.windowMs;
  let last = reading;
  if (limit === 0) return last;
  // A count that refills needs less time than its label names; whether it is one shows when some of that has passed.
  let mayRefill = true;
  for (let waits = 0; waits < mostWaits; waits += 1) {
    const missing = missingOf(last, needed);
    const left = endMs - tools.clock.nowMs();
    if (missing <= 0 || left <= 0) break;
    const resetMs = leftMs(tools, last) ?? 0;
    const refillMs = (missing * tools.windowMs) / limit + 1000;
    // The label of a bucket may name the instant of its next token.
    const labelMs = resetMs > 1000 ? resetMs + afterResetMs : refillMs;
    const waitMs = mayRefill ? Math.min(refillMs, labelMs) : labelMs;
    await tools.sleep(Math.min(waitMs, left + 1), "too few tokens remain for the next question");
    last = await tools.send(chatProbe(tools, key, "reading", tiny));
    mayRefill = missingOf(last, needed) < missing / 2;
  }
  return last;
}

function missingOf({ outcome, tokens: { remaining } }: LimitOp, needed: number): number {
  return outcome === "admitted" ? needed - (remaining ?? needed) : needed;
}
