import { readHistory } from "../history/history.ts";
import { type LimitOp, opsOf } from "../history/op.ts";
import { tolerancesFor } from "../history/tolerances.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { awaitTokens } from "./await-tokens.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { chatProbe, tiny } from "./chat-probe.ts";
import { fewestWords, frame } from "./charge-sizes.ts";
import { checkCharges } from "./check-charges.ts";
import { chargesNeeded } from "./charges-needed.ts";
import { readSettled } from "./read-settled.ts";
import { tokenReadings } from "./token-readings.ts";

/** Further charges, at most: what three of them do not show, the readings of the service cannot. */
const mostAgain = 3;
const mostWords = 6000;

/** Charges a longer prompt, as long as the judge has seen too few charges that it can bound. */
export async function chargeAgain(
  tools: ProbeTools,
  key: string,
  reading: LimitOp,
  { words: before, held }: { readonly words: number; readonly held: number },
): Promise<LimitOp> {
  // As long as the limit has room for, readings included.
  const room = Math.floor((0.95 * held - frame) / 1.3);
  const words = Math.min(Math.max(before, Math.min(mostWords, Math.floor(0.5 * held))), room);
  let last = reading;
  // No wait makes room in a limit that is smaller than the question: the judge says so.
  if (words < fewestWords) return last;
  for (let count = 0; count < mostAgain && isOpen(tools, key); count += 1) {
    last = await awaitTokens(tools, key, last, 1.3 * words + frame);
    if (last.outcome !== "admitted") return last;
    const charged = await tools.send(chatProbe(tools, key, "charge-prompt", { words, maxTokens: 24, asks: "yes" }));
    await readSettled(tools, key, last, charged);
    await tools.sleep(2 * chargeDelayMs + 100, "a pause shows whether tokens refill");
    last = await tools.send(chatProbe(tools, key, "reading", tiny));
  }
  return last;
}

/** The judge has no verdict yet, and an answer says what its request used. */
function isOpen(tools: ProbeTools, key: string): boolean {
  const tolerances = tolerancesFor(tools.manifest);
  const { ops, offset } = readHistory(tools.sent, tolerances);
  const own = opsOf(ops, "tokens").filter((op) => op.key === key && op.endpoint === "chat");
  const reports = own.some((op) => op.tokens.remaining !== null && op.usedTokens !== null);
  const known = tokenReadings(own, offset, tolerances);
  return reports && checkCharges(own, known, tolerances, { needed: chargesNeeded }).verdict === "inconclusive";
}
