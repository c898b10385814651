import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import { singleHeader } from "../../core/exchange/header-list.ts";
import { longestWaitMs } from "../../core/exchange/retry-hints.ts";
import { isQuotaShape } from "../judging/exchange-view.ts";

/**
 * Keeps our own traffic below the target's limits, per key and endpoint, by what its x-ratelimit headers say. Before the
 * first answer one request is in flight at most; a target without these headers is not paced until it refuses.
 */
export interface RequestPacer {
  /** Resolves when the request may leave; `tokens` is its worst case. */
  admit(lane: string, tokens: number, signal: AbortSignal): Promise<void>;
  /** Learns from the answer; exactly once for each admitted request. */
  settle(lane: string, tokens: number, exchange: Exchange): void;
}

interface LaneState {
  inFlight: number;
  tokensInFlight: number;
  known: boolean;
  /** Requests that were let go so far. */
  sent: number;
  /** Requests sent although the target says that nothing remains, because we cannot have used that much. */
  tried: number;
  /** Those were served: what the target says of its requests is not waited for any more. */
  distrusted: boolean;
  /** Resets that were waited for, after which nothing remained again. */
  inVain: number;
  /** A wait for a reset has ended and no answer has come since. */
  waited: boolean;
  limit: number | null;
  tokenLimit: number | null;
  /** Worst case of all that was let go. */
  tokensSent: number;
  /** null: the target does not say. */
  remaining: number | null;
  remainingTokens: number | null;
  /** Run clock; before it neither allowance grows. */
  resetMs: number;
  tokensResetMs: number;
  /** Run clock; nothing is sent before it. */
  blockedUntilMs: number;
  waiting: (() => void)[];
}

export interface PacerOptions {
  readonly clock: Clock;
  readonly onWait: (lane: string, ms: number) => void;
}

/** Spare allowance that is left to others who use the same key. */
const margin = 1;
const shortestWaitMs = 50;
const longestPauseMs = 130_000;

export function createRequestPacer({ clock, onWait }: PacerOptions): RequestPacer {
  const lanes = new Map<string, LaneState>();
  const laneOf = (name: string): LaneState => {
    const state = lanes.get(name) ?? {
      inFlight: 0,
      tokensInFlight: 0,
      known: false,
      sent: 0,
      tried: 0,
      distrusted: false,
      inVain: 0,
      waited: false,
      limit: null,
      tokenLimit: null,
      tokensSent: 0,
      remaining: null,
      remainingTokens: null,
      resetMs: 0,
      tokensResetMs: 0,
      blockedUntilMs: 0,
      waiting: [],
    };
    lanes.set(name, state);
    return state;
  };

  const admit = async (name: string, tokens: number, signal: AbortSignal): Promise<void> => {
    const lane = laneOf(name);
    for (;;) {
      signal.throwIfAborted();
      const decision = decide(lane, tokens, clock.nowMs());
      if (decision === "go") {
        lane.inFlight += 1;
        lane.sent += 1;
        lane.tokensSent += tokens;
        if (isSpent(lane) || isShort(lane, tokens)) lane.tried += 1;
        lane.tokensInFlight += tokens;
        if (lane.remaining !== null) lane.remaining -= 1;
        if (lane.remainingTokens !== null) lane.remainingTokens -= tokens;
        return;
      }
      if (decision === "answer") {
        await new Promise<void>((resolve) => lane.waiting.push(resolve));
        continue;
      }
      onWait(name, decision);
      lane.waited = nowBlocked(lane, clock.nowMs()) ? lane.waited : true;
      await clock.sleep(decision, signal);
    }
  };

  const settle = (name: string, tokens: number, exchange: Exchange): void => {
    const lane = laneOf(name);
    lane.inFlight -= 1;
    lane.tokensInFlight -= tokens;
    if (exchange.response !== null) learn(lane, factsOf(exchange), clock.nowMs());
    // Limits are those of a key: where none is presented, only a refusal says something.
    if (exchange.keyName === null) Object.assign(lane, { remaining: null, remainingTokens: null });
    for (const wake of lane.waiting.splice(0)) wake();
  };
  return { admit, settle };
}

function nowBlocked(lane: LaneState, nowMs: number): boolean {
  return nowMs < lane.blockedUntilMs;
}

/** May it go, must it wait for an answer in flight, or sleep for this long? */
function decide(lane: LaneState, tokens: number, nowMs: number): "go" | "answer" | number {
  if (nowBlocked(lane, nowMs)) return waitUntil(lane.blockedUntilMs, nowMs);
  if (!lane.known) return lane.inFlight === 0 ? "go" : "answer";
  // A window that we cannot have used up is tried, one request at a time, before a minute is spent on waiting for it.
  const short = isShort(lane, tokens);
  if ((isSpent(lane) || short) && isImplausible(lane, short)) return lane.inFlight === 0 ? "go" : "answer";
  if (isSpent(lane) && nowMs < lane.resetMs) return waitUntil(lane.resetMs, nowMs);
  if (short && nowMs < lane.tokensResetMs) return waitUntil(lane.tokensResetMs, nowMs);
  // Past the reset the old numbers are void: one request goes alone and learns the new ones.
  const stale = isSpent(lane) || short;
  return stale && lane.inFlight > 0 ? "answer" : "go";
}

/** Others may have used some of it, and a limiter may give some back meanwhile. */
const othersAtMost = 5;
const tokensOfOthersAtMost = 10_000;
const triesAtMost = 4;

/** A window that is over and still has nothing left: once may be the work of others. */
const waitsAtMost = 2;

function isNone(remaining: number | null): boolean {
  return remaining !== null && remaining <= margin;
}

function isSpent({ remaining }: LaneState): boolean {
  return isNone(remaining);
}

function isShort({ remainingTokens }: LaneState, tokens: number): boolean {
  return remainingTokens !== null && remainingTokens < tokens;
}

/** Whether much more is said to be used than was sent. */
function isImplausible(lane: LaneState, isShortOfTokens: boolean): boolean {
  if (lane.tried >= triesAtMost) return false;
  const isTooMany = lane.limit !== null && lane.remaining !== null && lane.limit - lane.remaining > lane.sent + othersAtMost;
  const used = (lane.tokenLimit ?? 0) - (lane.remainingTokens ?? 0);
  return isSpent(lane) ? isTooMany : isShortOfTokens && used > 2 * lane.tokensSent + tokensOfOthersAtMost;
}

function waitUntil(atMs: number, nowMs: number): number {
  return Math.min(longestPauseMs, Math.max(shortestWaitMs, atMs - nowMs));
}

function learn(lane: LaneState, exchange: ExchangeFacts, nowMs: number): void {
  const headers = exchange.response?.headers ?? [];
  const count = (name: string): number | null => {
    const value = singleHeader(headers, name);
    return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
  };
  const nowSeconds = exchange.targetNowSeconds;
  const resetAt = (name: string): number => {
    const at = count(name);
    // One second beyond: the header has whole seconds and the Date header too.
    return at === null ? nowMs : nowMs + Math.min(longestPauseMs, Math.max(0, (at - nowSeconds + 1) * 1000));
  };
  const remaining = count("x-ratelimit-remaining-requests");
  const tokens = count("x-ratelimit-remaining-tokens");
  lane.known = true;
  lane.limit = count("x-ratelimit-limit-requests");
  lane.tokenLimit = count("x-ratelimit-limit-tokens");
  if (exchange.response?.status === 429) {
    // It does mean what it says.
    Object.assign(lane, { tried: triesAtMost + 1, inVain: Number.NEGATIVE_INFINITY, distrusted: false });
  } else {
    if (lane.waited && (isNone(remaining) || isNone(tokens))) lane.inVain += 1;
    lane.distrusted ||= lane.tried === triesAtMost || lane.inVain >= waitsAtMost;
  }
  lane.waited = false;
  lane.remaining = remaining === null || lane.distrusted ? null : Math.max(0, remaining - lane.inFlight);
  lane.remainingTokens = tokens === null || lane.distrusted ? null : Math.max(0, tokens - lane.tokensInFlight);
  lane.resetMs = resetAt("x-ratelimit-reset-requests");
  lane.tokensResetMs = resetAt("x-ratelimit-reset-tokens");
  if (exchange.status === 429 && !isQuotaShape(exchange)) {
    const waitMs = longestWaitMs(exchange.retryHints) ?? Math.max(1000, lane.resetMs - nowMs);
    lane.blockedUntilMs = nowMs + Math.min(longestPauseMs, waitMs + 1000);
  }
}
