import type { LimitOp } from "../history/op.ts";
import { shortestWait } from "../history/shortest-wait.ts";
import type { ExamStages } from "../probe/exam-stages.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { afterWaitMs } from "../probe/schedule-steps.ts";
import { awaitTokens } from "./await-tokens.ts";
import { chargeAgain } from "./charge-again.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { chargeShapes, repeated } from "./charge-shapes.ts";
import { sizesFor } from "./charge-sizes.ts";
import { isTokenRefusal } from "./check-token-refusals.ts";
import { chatProbe, type ChatSize, tiny } from "./chat-probe.ts";
import { freshWindow, leftMs } from "./fresh-window.ts";
import { leaveMany } from "./leave-many.ts";
import { leaveStream } from "./leave-stream.ts";
import { runEmbeddingCharge } from "./embedding-exam.ts";

export interface TokenExamSubject {
  readonly key: string;
  /** Whether the limit may be used up. */
  readonly exhaust: boolean;
  readonly stages: ExamStages;
}

/**
 * The same small request before and after each shape: whatever part of a request the header already counts, it counts it in
 * both, so that the difference is the charge of what came in between. Each starts after the body of the one before ended.
 */
export async function runTokenExam(tools: ProbeTools, subject: TokenExamSubject): Promise<void> {
  const { key, stages } = subject;
  tools.enter("tokens: what each kind of request is charged");
  const startedMs = tools.clock.nowMs();
  let reading = await tools.send(chatProbe(tools, key, "reading", tiny));
  const used = (reading.tokens.limit ?? 0) - (reading.tokens.remaining ?? 0) > (reading.tokens.limit ?? 0) / 4;
  reading = await freshWindow(tools, key, reading, used ? 1.1 * tools.windowMs : 26_000);
  // A bucket may hold less than the limit of a window.
  const limit = reading.tokens.limit ?? 0;
  let held = Math.min(limit, (reading.tokens.remaining ?? 0) + (reading.usedTokens ?? 0));
  if (held >= leastPressed && held <= mostExhausted) {
    await press(tools, key, { held, limit }, { asks: "yes", sameAs: repeated });
    // About twenty tokens at the average rate: how much comes back at once.
    await tools.sleep((20 * tools.windowMs) / limit, "a pause shows how tokens refill");
    reading = await tools.send(chatProbe(tools, key, "reading", tiny));
  }
  if (stages.has("tokens.charges")) {
    ({ reading, held } = await chargeShapes(tools, key, { reading, held, limit }));
    // A pause so long that a refill must show.
    await tools.sleep(3000, "a pause shows whether tokens refill");
    reading = await tools.send(chatProbe(tools, key, "reading", tiny));
    reading = await chargeAgain(tools, key, reading, { words: sizesFor(held, limit).longWords, held });
    if (tools.manifest.models.embedding !== null) {
      const readChat = (): Promise<LimitOp> => tools.send(chatProbe(tools, key, "reading", tiny));
      reading = await runEmbeddingCharge(tools, { key, chat: reading, readChat });
    }
  }
  if (subject.exhaust && stages.has("tokens.beyond")) await goBeyond(tools, key, reading, { held, limit });
  const { longWords, longAnswer } = sizesFor(held, limit);
  if (stages.has("tokens.left")) await leaveStream(tools, key, { words: longWords, maxTokens: longAnswer }, startedMs);
  if (stages.has("tokens.left-many")) await leaveMany(tools, key, startedMs);
}

async function goBeyond(
  tools: ProbeTools,
  key: string,
  reading: LimitOp,
  { held, limit }: { readonly held: number; readonly limit: number },
): Promise<void> {
  tools.enter("tokens: beyond the limit");
  let fresh = await freshWindow(tools, key, reading, 16_000);
  const isFull = (leftMs(tools, fresh) ?? Number.POSITIVE_INFINITY) < 5000;
  if (isFull && held >= leastPressed && held <= mostExhausted) fresh = await press(tools, key, { held, limit });
  const half = halfTogether(fresh);
  fresh = await awaitTokens(tools, key, fresh, together * (2 * half + ownWords));
  await exhaustTokens(tools, key, await spendTogether(tools, key, fresh, half));
}

/** Simultaneous requests, which use a fifth of the limit together. */
const together = 6;
/** The opening of a prompt, and a message by itself. */
const ownWords = 20;

/** Prompt and answer are equally long, so that it shows which of them is not charged. */
function halfTogether({ tokens: { limit } }: LimitOp): number {
  return Math.max(20, Math.min(200, Math.floor((limit ?? 0) / 60)));
}

/** Below it a part of the allowance is no larger than what a reading itself uses and refills hide. */
const leastPressed = 900;

/** A larger limit would cost more than it is worth to use up. */
export const mostExhausted = 20_000;

/** Sends the simultaneous requests: a reading before, and one when every charge has settled. */
async function spendTogether(tools: ProbeTools, key: string, reading: LimitOp, half: number): Promise<LimitOp> {
  await tools.burst(chatProbe(tools, key, "together", { words: half, maxTokens: half, asks: "story" }), together);
  await tools.sleep(chargeDelayMs + 500, "charges settle");
  const after = await tools.send(chatProbe(tools, key, "together-after", tiny));
  const { limit, resetMs } = after.tokens;
  // A label that stays is that of a window.
  if (limit === null || resetMs === reading.tokens.resetMs || after.outcome !== "admitted") return after;
  await tools.sleep((20 * tools.windowMs) / limit, "a pause shows how tokens refill");
  return tools.send(chatProbe(tools, key, "reading", tiny));
}

/**
 * Uses a fifth: a count that refills names an instant that lies ahead only where some of it is missing. A bucket much smaller than the
 * limit of a window is full again so soon that it takes half.
 */
async function press(
  tools: ProbeTools,
  key: string,
  { held, limit }: { readonly held: number; readonly limit: number },
  prompt: Pick<ChatSize, "asks" | "sameAs"> = {},
): Promise<LimitOp> {
  const share = held < limit / 2 ? 0.55 : 0.2;
  await tools.send(chatProbe(tools, key, "press", { words: Math.floor(share * held), maxTokens: 8, ...prompt }));
  await tools.sleep(chargeDelayMs + 500, "charges settle");
  return tools.send(chatProbe(tools, key, "reading", tiny));
}

/**
 * Beyond twice the limit and what the last request of each of two windows may exceed it by, nothing that limits admits: as far as that
 * only where nothing is refused.
 */
async function exhaustTokens(tools: ProbeTools, key: string, reading: LimitOp): Promise<void> {
  const limit = reading.tokens.limit;
  if (limit === null || limit > mostExhausted) return;
  // Few enough that a request limit does not refuse them first; each needs half of the limit at most, or no wait would bring it.
  const large = { words: Math.min(2500, Math.ceil(limit / 3)), maxTokens: Math.min(64, Math.ceil(limit / 6)) };
  let last = reading;
  let sum = 0;
  let most = 0;
  // One at least: a refusal before it is no answer to a request that goes beyond the limit.
  for (let count = 0; count < 24 && (count === 0 || last.outcome === "admitted") && sum <= 2 * (limit + most); count += 1) {
    last = await tools.send(chatProbe(tools, key, "exhaust", large));
    most = Math.max(most, last.usedTokens ?? large.words);
    sum += last.usedTokens ?? large.words;
  }
  // All that was used has been charged by then.
  await tools.sleep(chargeDelayMs + 500, "charges settle");
  if (last.outcome === "admitted" && sum >= limit) last = await tools.send(chatProbe(tools, key, "exhaust", large));
  const small = await tools.send(chatProbe(tools, key, "exhausted", tiny));
  await returnAsAsked(tools, key, small, large);
}

/** Windows that a wait may last to be waited for. */
const longestReturn = 2;

/**
 * Stays away for the whole wait that a refusal names and sends the same request once more: the small one, or, where a service refuses only
 * what needs more than remains, the large one.
 */
async function returnAsAsked(tools: ProbeTools, key: string, small: LimitOp, large: ChatSize): Promise<void> {
  let [refused, size] = [small, tiny];
  if (small.outcome === "admitted") {
    await tools.sleep(chargeDelayMs + 500, "charges settle");
    [refused, size] = [await tools.send(chatProbe(tools, key, "exhaust", large)), large];
  }
  if (refused.status !== null && refused.status >= 400 && refused.status !== 429) {
    await tools.sleep(1.1 * tools.windowMs, "refused by another error: whether it is served when the tokens are back");
    await tools.send(chatProbe(tools, key, "returned", size));
    return;
  }
  const wait = isTokenRefusal(refused) ? shortestWait(refused.retry) : null;
  if (wait === null) return;
  const waitMs = wait.seconds * 1000;
  if (waitMs > longestReturn * tools.windowMs) {
    const text = `#${refused.seq} says to wait ${wait.seconds} s, longer than this exam waits`;
    return tools.notJudged({ policy: "return after the stated wait, tokens", text });
  }
  await tools.sleep(refused.headersMs + waitMs + afterWaitMs - tools.clock.nowMs(), "the whole stated wait in silence");
  await tools.send(chatProbe(tools, key, "returned", size));
}
