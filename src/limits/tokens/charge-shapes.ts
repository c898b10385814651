import type { LimitOp } from "../history/op.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { afterWaitMs } from "../probe/schedule-steps.ts";
import { chatProbe, tiny } from "./chat-probe.ts";
import { frame, sizesFor } from "./charge-sizes.ts";
import { leftMs } from "./fresh-window.ts";
import { readSettled } from "./read-settled.ts";

/**
 * Requests between which `remaining-tokens` is compared: long prompt or long answer, streamed or not. Those with a long prompt may
 * have a long answer and do not need it: what was held for them is not what they used.
 */
const shapes = [
  { label: "prompt", isLong: true, asks: "yes", stream: false },
  { label: "answer", isLong: false, asks: "story", stream: false },
  { label: "stream-prompt", isLong: true, asks: "yes", stream: true },
  { label: "stream-answer", isLong: false, asks: "story", stream: true },
] as const;

/** Begins as the prompt that pressed the limit before: what a cache holds of it may be charged or not, and never twice. */
export const repeated = "a prompt that is sent twice";

/** How often a refused charge is tried again with half of it. */
const mostHalved = 2;

/** The last reading, the tokens that the limit holds as far as it showed, and the limit of a window. */
interface TokenState {
  readonly reading: LimitOp;
  readonly held: number;
  readonly limit: number;
}

/** Sends each shape between two readings; returns what they showed. */
export async function chargeShapes(tools: ProbeTools, key: string, state: TokenState): Promise<TokenState> {
  const { limit } = state;
  let { reading, held } = state;
  // More than a refill brings back until the charge has settled, less than the allowance of all four; a bucket much smaller than the limit
  // of a window brings back a large part of itself meanwhile, and each charge is waited for.
  let { isSmall, longWords, longAnswer, unneeded } = sizesFor(held, limit);
  const isTight = limit > 0 && limit < holdsAll;
  for (const { label, isLong, asks, stream } of isTight ? shapes.toSorted(byNeed) : shapes) {
    const charge = async (): Promise<LimitOp | null> => {
      // Tokens that are held for streams must leave room for the other charges in one window.
      const size = {
        words: isLong ? longWords : 6,
        maxTokens: isLong ? (stream ? Math.ceil(longAnswer / 2) : unneeded) : longAnswer,
      };
      const needed = Math.min(0.95 * held, 1.2 * (size.words + size.maxTokens));
      if (isSmall) reading = await untilHeld(tools, key, reading, { needed, limit });
      else if (isTight && remainingOf(reading) < size.words + size.maxTokens + frame) return null;
      const same = label === "prompt" ? { sameAs: repeated } : {};
      return tools.send(chatProbe(tools, key, `charge-${label}`, { ...size, asks, stream, ...same }));
    };
    let charged = await charge();
    if (charged === null) continue;
    // The bucket holds less than its limit. A refused request shows no charge, so that half as much is tried when the refusal
    // says.
    for (let halved = 0; halved < mostHalved && charged.outcome === "rejected"; halved += 1) {
      held /= 2;
      ({ isSmall, longWords, longAnswer, unneeded } = sizesFor(held, limit));
      const waitMs = Math.min((charged.retry?.seconds ?? 0) * 1000, tools.windowMs / 4);
      await tools.sleep(waitMs + afterWaitMs, "the stated wait");
      reading = await tools.send(chatProbe(tools, key, "reading", tiny));
      charged = (await charge()) ?? charged;
    }
    reading = await readSettled(tools, key, reading, charged);
  }
  return { reading, held, limit };
}

/** A smaller limit may not hold all four: then those come first that differ from each other in all. */
const holdsAll = 700;
const first: ReadonlySet<string> = new Set(["prompt", "stream-answer"]);

function byNeed(one: { readonly label: string }, other: { readonly label: string }): number {
  return Number(first.has(other.label)) - Number(first.has(one.label));
}

function remainingOf({ tokens }: LimitOp): number {
  return tokens.remaining ?? Number.POSITIVE_INFINITY;
}

/** Waits until a bucket has refilled the tokens that the charges before used: a request that is refused shows no charge. */
async function untilHeld(
  tools: ProbeTools,
  key: string,
  reading: LimitOp,
  { needed, limit }: { readonly needed: number; readonly limit: number },
): Promise<LimitOp> {
  const missing = needed - (reading.tokens.remaining ?? needed);
  const left = leftMs(tools, reading);
  // Tokens of a window do not come back before it ends.
  if (missing <= 0 || left === null || left > 0.9 * tools.windowMs) return reading;
  const refilledMs = (missing * tools.windowMs) / limit;
  if (refilledMs > left) return reading;
  await tools.sleep(refilledMs, "a bucket holds enough for the next charge");
  return tools.send(chatProbe(tools, key, "reading", tiny));
}
