import type { SimContext } from "./simulator.ts";

/** Settings of a key that are in force; null: none. */
export interface BurstSettings {
  readonly burst: number | null;
  readonly cooldownMs: number;
}

export type BurstVerdict = { readonly kind: "served" } | { readonly kind: "refused"; readonly retryMs: number };

/** Decides over the requests of all endpoints of a key; a queue decides later. */
export type BurstGate = (
  context: SimContext,
  key: string,
  settings: BurstSettings,
  decide: (verdict: BurstVerdict) => void,
) => void;

/** A lawful reading of "after it is exhausted, the key enters a cooldown". */
export interface LawfulBurst {
  readonly id: string;
  create(): BurstGate;
}

const minuteMs = 60_000;

/** The rest of the allowance of a minute, for any definition of a minute. */
interface Allowance {
  take(nowMs: number, burst: number): boolean;
  isUsedUp(nowMs: number, burst: number): boolean;
  fill(): void;
}

const minutes: Readonly<Record<string, () => Allowance>> = {
  "clock-minute": () => countedMinute((now) => Math.floor(now / minuteMs) * minuteMs),
  "first-minute": () => countedMinute((now, startMs) => (now - startMs < minuteMs ? startMs : now)),
  log: () => {
    let log: number[] = [];
    const isUsedUp = (now: number, burst: number): boolean => {
      log = log.filter((at) => at > now - minuteMs);
      return log.length >= burst;
    };
    const take = (now: number, burst: number): boolean => {
      const isFree = !isUsedUp(now, burst);
      if (isFree) log.push(now);
      return isFree;
    };
    return { isUsedUp, take, fill: () => void (log = []) };
  },
  refilling: () => {
    let level = Number.POSITIVE_INFINITY;
    let atMs = 0;
    const levelAt = (now: number, burst: number): number => {
      level = Math.min(burst, level + (Math.max(0, now - atMs) * burst) / minuteMs);
      atMs = Math.max(atMs, now);
      return level;
    };
    const isUsedUp = (now: number, burst: number): boolean => levelAt(now, burst) < 1 - 1e-9;
    const take = (now: number, burst: number): boolean => {
      const isFree = !isUsedUp(now, burst);
      if (isFree) level -= 1;
      return isFree;
    };
    return { isUsedUp, take, fill: () => void (level = Number.POSITIVE_INFINITY) };
  },
};

function countedMinute(startOf: (now: number, startMs: number) => number): Allowance {
  let startMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  const isUsedUp = (now: number, burst: number): boolean => {
    const start = startOf(now, startMs);
    if (start > startMs) {
      used = 0;
      startMs = start;
    }
    return used >= burst;
  };
  const take = (now: number, burst: number): boolean => {
    const isFree = !isUsedUp(now, burst);
    if (isFree) used += 1;
    return isFree;
  };
  return { isUsedUp, take, fill: () => void (used = 0) };
}

interface GateOptions {
  readonly minute: string;
  /** The cooldown begins with the last request of the allowance, or with the first beyond it (O8). */
  readonly begins: "last-served" | "first-beyond";
  readonly preference: "refuse" | "queue";
  /** Requests let out of a queue use the next allowance, or not. */
  readonly releasedCount?: boolean;
  /**
   * A queue lets out all that fits at once, one by one as an allowance refills, or each when it has waited for a whole cooldown of
   * its own, whatever else was served.
   */
  readonly release?: "together" | "paced" | "own-wait";
}

export function createBurstGate(options: GateOptions): BurstGate {
  const { minute, begins, preference, releasedCount = true, release = "together" } = options;
  const keys = new Map<string, { readonly allowance: Allowance; coolsUntilMs: number; waiting: number }>();
  return function enter(context, key, { burst, cooldownMs }, decide) {
    if (burst === null) return decide({ kind: "served" });
    const state = keys.get(key) ?? { allowance: minutes[minute]!(), coolsUntilMs: Number.NEGATIVE_INFINITY, waiting: 0 };
    keys.set(key, state);
    const now = context.now();
    if (Number.isFinite(state.coolsUntilMs) && now >= state.coolsUntilMs) {
      state.allowance.fill();
      state.coolsUntilMs = Number.NEGATIVE_INFINITY;
    }
    if (now >= state.coolsUntilMs && state.allowance.take(now, burst)) {
      if (begins === "last-served" && state.allowance.isUsedUp(now, burst)) state.coolsUntilMs = now + cooldownMs;
      return decide({ kind: "served" });
    }
    if (now >= state.coolsUntilMs) state.coolsUntilMs = now + cooldownMs;
    const leftMs = state.coolsUntilMs - now;
    if (preference === "refuse") return decide({ kind: "refused", retryMs: leftMs });
    const pacedMs = leftMs + (state.waiting * minuteMs) / burst;
    state.waiting += 1;
    context.later({ together: leftMs, paced: pacedMs, "own-wait": cooldownMs }[release], () => {
      state.waiting -= 1;
      if (releasedCount && release !== "own-wait") enter(context, key, { burst, cooldownMs }, decide);
      else decide({ kind: "served" });
    });
  };
}

export const lawfulBursts: readonly LawfulBurst[] = Object.keys(minutes).flatMap((minute) =>
  (["last-served", "first-beyond"] as const).flatMap((begins) => [
    { id: `${minute}, ${begins}, refuse`, create: () => createBurstGate({ minute, begins, preference: "refuse" }) },
    { id: `${minute}, ${begins}, queue`, create: () => createBurstGate({ minute, begins, preference: "queue" }) },
    {
      id: `${minute}, ${begins}, queue beside the allowance`,
      create: () => createBurstGate({ minute, begins, preference: "queue", releasedCount: false }),
    },
    ...(["paced", "own-wait"] as const).map((release) => ({
      id: `${minute}, ${begins}, queue ${release}`,
      create: () => createBurstGate({ minute, begins, preference: "queue", release }),
    })),
  ]),
);
