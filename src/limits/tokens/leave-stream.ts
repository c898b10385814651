import type { ProbeTools } from "../probe/probe-tools.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { chatProbe, type ChatSize, tiny } from "./chat-probe.ts";
import { freshWindow, leftMs } from "./fresh-window.ts";

/** The head of a stream and its first tokens. */
const leftAfterBytes = 600;
/** Readings until the charge of a stream that was left must show: some twenty seconds. */
const leftReadings = 8;
/** All of them, with the stream. */
const leftTakesMs = 25_000;
/** No window is waited for with which the exam would take longer. */
const longestExamWindows = 1.9;
/** Tokens that are held for the answer are not its charge: readings until they are given back, some ten seconds. */
const heldReadings = 3;

/** Leaves a stream with the long prompt after its first tokens, between two readings and with room for it. */
export async function leaveStream(tools: ProbeTools, key: string, size: ChatSize, startedMs: number): Promise<void> {
  const { words, maxTokens } = size;
  tools.enter("tokens: a stream that its client leaves");
  const reading = await tools.send(chatProbe(tools, key, "reading", tiny));
  const needed = 1.3 * (words + maxTokens);
  const hasRoom = reading.outcome === "admitted" && (reading.tokens.remaining ?? needed) >= needed;
  const endMs = tools.clock.nowMs() + (leftMs(tools, reading) ?? 0) + leftTakesMs;
  const mayWait = endMs < startedMs + longestExamWindows * tools.windowMs;
  const wanted = hasRoom ? leftTakesMs : 1.1 * tools.windowMs;
  const fresh = mayWait ? await freshWindow(tools, key, reading, wanted) : reading;
  if (fresh.outcome !== "admitted" || (fresh.tokens.remaining ?? needed) < needed) {
    const text = `${fresh.tokens.remaining ?? "no number of"} tokens remained for it, and it needs about ${Math.ceil(needed)}`;
    return tools.notJudged({ policy: "streams that clients leave, tokens", text });
  }
  const left = chatProbe(tools, key, "charge-left", { words, maxTokens, asks: "story", stream: true });
  await tools.send({ ...left, leaveAfterBytes: leftAfterBytes });
  // A service may notice that nobody reads only when it writes on, or when the answer is ready.
  for (let count = 0; count < leftReadings; count += 1) {
    await tools.sleep(chargeDelayMs + 500, "charges settle");
    const after = await tools.send(chatProbe(tools, key, "reading", tiny));
    const isCharged = (fresh.tokens.remaining ?? 0) - (after.tokens.remaining ?? 0) > words / 2;
    if (isCharged && count >= heldReadings) return;
  }
}
