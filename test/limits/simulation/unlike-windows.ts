import { perGroup } from "./lawful-limiters.ts";
import type { Limiter } from "./request-service.ts";

interface WindowFacts {
  /** How many windows of the key came before. */
  readonly index: number;
  /** Windows before it in which nothing was sent. */
  readonly silent: number;
  /** The rest of the last one that was used. */
  readonly unused: number;
}

interface UnlikeWindows {
  readonly id: string;
  /** null: lawful. */
  readonly found: readonly string[] | null;
  /** The most that a window admits. */
  readonly holds?: (facts: WindowFacts, limit: number) => number;
  /** How much of a window is used when it begins. */
  readonly begins?: (index: number, usedBefore: number) => number;
}

/** Windows of which one is unlike the others: the first one, one after silence, one that begins with something used. */
export const unlikeWindows: readonly UnlikeWindows[] = [
  { id: "the first window begins with something used", found: null, begins: (index) => (index === 0 ? 7 : 0) },
  { id: "the first window is used up by others", found: null, begins: (index) => (index === 0 ? 1000 : 0) },
  {
    id: "the first window holds a quarter more",
    found: ["limits.over-admission"],
    holds: ({ index }, limit) => (index === 0 ? 1.25 * limit : limit),
  },
  {
    id: "the first window holds one more",
    found: ["limits.over-admission"],
    holds: ({ index }, limit) => (index === 0 ? limit + 1 : limit),
  },
  {
    id: "the first window holds half",
    found: ["limits.remaining-not-granted"],
    holds: ({ index }, limit) => (index === 0 ? limit / 2 : limit),
  },
  {
    id: "the first window is counted again in the second one",
    found: ["limits.under-admission", "limits.retry-after-too-short", "limits.remaining-not-restored"],
    begins: (index, usedBefore) => (index === 1 ? usedBefore : 0),
  },
  {
    id: "what was not used is added to the next window",
    found: ["limits.over-admission"],
    holds: ({ index, silent, unused }, limit) => (index === 0 ? limit : Math.min(2 * limit, limit + unused + silent * limit)),
  },
  {
    id: "a window after a silent one holds twice the limit",
    found: ["limits.over-admission"],
    holds: ({ silent }, limit) => (silent > 0 ? 2 * limit : limit),
  },
  {
    id: "a window after two silent ones holds twice the limit",
    found: ["limits.over-admission"],
    holds: ({ silent }, limit) => (silent > 1 ? 2 * limit : limit),
  },
  {
    id: "a window after a silent one holds half",
    found: ["limits.remaining-not-granted"],
    holds: ({ silent }, limit) => (silent > 0 ? limit / 2 : limit),
  },
];

/** Windows of the clock, or with `fromFirst` of the first request after the last one ended. */
export function createUnlikeWindows(
  { holds = (_facts, limit) => limit, begins = () => 0 }: UnlikeWindows,
  { limit, windowMs, fromFirst }: { readonly limit: number; readonly windowMs: number; readonly fromFirst: boolean },
): Limiter {
  const startAt = (nowMs: number): number => (fromFirst ? nowMs : Math.floor(nowMs / windowMs) * windowMs);
  const stateOf = perGroup((nowMs) => ({
    startMs: startAt(nowMs),
    index: 0,
    used: begins(0, 0),
    most: holds({ index: 0, silent: 0, unused: 0 }, limit),
  }));
  return (context, group, decide) => {
    const now = context.now();
    const state = stateOf(group, now);
    if (now >= state.startMs + windowMs) {
      const passed = Math.floor((startAt(now) - state.startMs) / windowMs);
      const [index, silent, unused] = [state.index + 1, fromFirst ? passed : passed - 1, Math.max(0, limit - state.used)];
      const used = begins(index, state.used);
      Object.assign(state, {
        startMs: startAt(now),
        index,
        used,
        most: holds({ index, silent: Math.max(0, silent), unused }, limit),
      });
    }
    const admitted = state.used < state.most;
    if (admitted) state.used += 1;
    const resetMs = state.startMs + windowMs;
    decide({ admitted, limit, remaining: Math.max(0, limit - state.used), resetMs, retryMs: resetMs - now });
  };
}
