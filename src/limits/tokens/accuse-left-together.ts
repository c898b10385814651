import type { OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import type { Accusation } from "../verdict/check.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { describeFall } from "./describe-fall.ts";
import { findLeftTogether } from "./left-together.ts";
import { leavePrompt } from "./leave-prompt.ts";
import { leavingBetween } from "./leaving-between.ts";
import type { TokenReadings } from "./token-readings.ts";
import { mostRefill } from "./most-refill.ts";

const ways = [
  ["left-late", "just before their end"],
  ["left-early", "after some tokens"],
] as const;

/** Below this a charge does not stand out of readings. */
const leastDue = 16;

export interface LeftContext {
  readonly known: TokenReadings;
  readonly tolerances: Tolerances;
  /** The limiter counts by windows, which bring nothing back before their end. */
  readonly countsByWindows: boolean;
}

/**
 * Streams of one way whose prompts were not charged; null where none are. A client that leaves with the head was delivered nothing, and
 * a service may have stopped before it read the prompt.
 */
export function accuseLeftTogether(ops: readonly OpOf<"tokens">[], context: LeftContext): Accusation | null {
  const { known, tolerances, countsByWindows } = context;
  const whole = ops.find(({ phase }) => phase === "left-whole");
  const read = whole?.promptTokens ?? null;
  const prompt = read === null ? null : Math.max(0, read - (whole?.cachedTokens ?? 0));
  for (const [phase, how] of ways) {
    const left = findLeftTogether(ops, phase);
    if (left === null) continue;
    const { before, streams, after } = left;
    const { limit } = before.tokens;
    const isRead = before.tokens.remaining !== null && after.tokens.remaining !== null;
    if (limit === null || !isRead || known.mayHaveEnded(before, after)) continue;
    const isStill = countsByWindows && before.tokens.resetMs === after.tokens.resetMs;
    const span = { fromMs: before.sentMs, untilMs: after.headersMs, slackMs: tolerances.fuzzMs };
    const refill = isStill
      ? 0
      : mostRefill(limit, span, tolerances) + known.lump + leavingBetween(ops, before, after, tolerances);
    // Held for streams just before, and given back after their end.
    const released = ops
      .filter((op) => op.streamed && op.sentMs < before.sentMs && op.endMs + chargeDelayMs >= before.sentMs)
      .reduce((sum, op) => sum + (op.maxTokens ?? 0), 0);
    const each = prompt ?? leavePrompt.words / 2;
    const used = Math.min(before.tokens.remaining, streams.length * each);
    const slack = refill + released + known.step + 2;
    const fell = before.tokens.remaining - after.tokens.remaining;
    if (used - slack < leastDue || fell >= used - slack) continue;
    return {
      kind: "left-charge",
      message: `${streams.length} streams that their clients left ${how} had prompts of ${used} tokens${prompt === null ? " at least" : ""}; remaining tokens ${describeFall(fell)} from #${before.seq} to #${after.seq}`,
      rule: "A stream that its client leaves is charged for its prompt at least.",
      spec: "Limits > Rate limits (x-ratelimit-remaining-tokens)",
      ops: [before, ...streams, after],
      parameters: { used, fell, slack, each },
      correct: `remaining tokens lower by at least ${used - slack}`,
      expected: `at least ${used - slack}`,
      observed: String(fell),
    };
  }
  return null;
}
