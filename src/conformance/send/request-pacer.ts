import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import { singleHeader } from "../../core/exchange/header-list.ts";
import { longestWaitMs } from "../../core/exchange/retry-hints.ts";
import { isQuotaShape } from "../judging/exchange-view.ts";
import type { WaitAccount } from "./wait-account.ts";

/**
 * Keeps our own traffic below the target's limits, per key and endpoint, by what its x-ratelimit headers say. Before the
 * first answer one request is in flight at most; a target without these headers is not paced until it refuses.
 */
export interface RequestPacer {
  /** Resolves when the request may leave; `tokens` is its worst case. */
  admit(allowance: string, tokens: number, signal: AbortSignal): Promise<void>;
  /** Whether the request may leave at this moment, which counts as admitted; never waits. */
  tryAdmit(allowance: string, tokens: number): boolean;
  /** Learns from the answer; exactly once for each admitted request. */
  settle(allowance: string, tokens: number, exchange: Exchange): void;
}

interface AllowanceState {
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
  /** Pays for every wait. */
  readonly waits: WaitAccount;
  readonly onWait: (allowance: string, ms: number) => void;
  /** The target serves what it says that nothing remains for; reported once for each allowance. */
  readonly onDistrust: (allowance: string) => void;
}

/** Spare allowance that is left to others who use the same key. */
const margin = 1;
const shortestWaitMs = 50;
const longestPauseMs = 130_000;

export function createRequestPacer({ clock, waits, onWait, onDistrust }: PacerOptions): RequestPacer {
  const allowances = new Map<string, AllowanceState>();
  /** Where one of its numbers means nothing, none of the others is waited for before it is tried. */
  let isDoubtful = false;
  const allowanceOf = (name: string): AllowanceState => {
    const state = allowances.get(name) ?? {
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
    allowances.set(name, state);
    return state;
  };

  const admit = async (name: string, tokens: number, signal: AbortSignal): Promise<void> => {
    const allowance = allowanceOf(name);
    for (;;) {
      signal.throwIfAborted();
      const decision = decide(allowance, tokens, clock.nowMs(), isDoubtful);
      if (decision === "go") {
        leave(allowance, tokens, clock.nowMs());
        return;
      }
      if (decision === "answer") {
        await new Promise<void>((resolve) => allowance.waiting.push(resolve));
        continue;
      }
      onWait(name, decision);
      allowance.waited = nowBlocked(allowance, clock.nowMs()) ? allowance.waited : true;
      await waits.sleep(decision, signal);
    }
  };

  const settle = (name: string, tokens: number, exchange: Exchange): void => {
    const allowance = allowanceOf(name);
    allowance.inFlight -= 1;
    allowance.tokensInFlight -= tokens;
    const { distrusted } = allowance;
    if (exchange.response !== null) learn(allowance, factsOf(exchange), clock.nowMs());
    isDoubtful ||= allowance.distrusted;
    if (allowance.distrusted && !distrusted) onDistrust(name);
    // Limits are those of a key: where none is presented, only a refusal says something.
    if (exchange.keyName === null) Object.assign(allowance, { remaining: null, remainingTokens: null });
    for (const wake of allowance.waiting.splice(0)) wake();
  };
  const tryAdmit = (name: string, tokens: number): boolean => {
    const allowance = allowanceOf(name);
    const isFree = decide(allowance, tokens, clock.nowMs(), isDoubtful) === "go";
    if (isFree) leave(allowance, tokens, clock.nowMs());
    return isFree;
  };
  return { admit, tryAdmit, settle };
}

function leave(allowance: AllowanceState, tokens: number, nowMs: number): void {
  allowance.inFlight += 1;
  allowance.sent += 1;
  allowance.tokensSent += tokens;
  // What leaves after a reset is no try: the old numbers are void.
  const isSpentStill = isSpent(allowance) && nowMs < allowance.resetMs;
  if (isSpentStill || (isShort(allowance, tokens) && nowMs < allowance.tokensResetMs)) allowance.tried += 1;
  allowance.tokensInFlight += tokens;
  if (allowance.remaining !== null) allowance.remaining -= 1;
  if (allowance.remainingTokens !== null) allowance.remainingTokens -= tokens;
}

function nowBlocked(allowance: AllowanceState, nowMs: number): boolean {
  return nowMs < allowance.blockedUntilMs;
}

/** May it go, must it wait for an answer in flight, or sleep for this long? */
function decide(allowance: AllowanceState, tokens: number, nowMs: number, isDoubtful: boolean): "go" | "answer" | number {
  if (nowBlocked(allowance, nowMs)) return waitUntil(allowance.blockedUntilMs, nowMs);
  if (!allowance.known) return allowance.inFlight === 0 ? "go" : "answer";
  // A window that we cannot have used up is tried, one request at a time, before a minute is spent on waiting for it.
  const short = isShort(allowance, tokens);
  if ((isSpent(allowance) || short) && isImplausible(allowance, short, isDoubtful))
    return allowance.inFlight === 0 ? "go" : "answer";
  // Answers in flight say what there is now, and past the reset one request goes alone and learns it.
  if ((isSpent(allowance) || short) && allowance.inFlight > 0) return "answer";
  if (isSpent(allowance) && nowMs < allowance.resetMs) return waitUntil(allowance.resetMs, nowMs);
  if (short && nowMs < allowance.tokensResetMs) return waitUntil(allowance.tokensResetMs, nowMs);
  return "go";
}

/** Others may have used some of it, and a limiter may give some back meanwhile. */
const othersAtMost = 2;
const tokensOfOthersAtMost = 10_000;
const triesAtMost = 4;
/** A limit below it cannot be kept to by a run: whether it is enforced is worth one refusal. */
const leastUsableLimit = 5;

/** A wait that ends this close to the end of the window ends with it: headers give both in whole seconds. */
const sameEndMs = 3000;

/** A window that is over and still has nothing left: once may be the work of others. */
const waitsAtMost = 2;

function isNone(remaining: number | null): boolean {
  return remaining !== null && remaining <= margin;
}

function isSpent({ remaining }: AllowanceState): boolean {
  return isNone(remaining);
}

/** What is worth more than the whole limit fits into no window: it is sent as it is. */
function isShort({ remainingTokens, tokenLimit }: AllowanceState, tokens: number): boolean {
  return remainingTokens !== null && remainingTokens < tokens && (tokenLimit === null || tokens <= tokenLimit);
}

/** Whether more is said to be used than was sent, or what was tried has shown that the number is not meant. */
function isImplausible(allowance: AllowanceState, isShortOfTokens: boolean, isDoubtful: boolean): boolean {
  if (allowance.tried >= triesAtMost) return false;
  if (allowance.tried > 0 || isDoubtful) return true;
  const isTooMany =
    allowance.limit !== null &&
    allowance.remaining !== null &&
    (allowance.limit < leastUsableLimit || allowance.limit - allowance.remaining > allowance.sent + othersAtMost);
  const used = (allowance.tokenLimit ?? 0) - (allowance.remainingTokens ?? 0);
  return isSpent(allowance) ? isTooMany : isShortOfTokens && used > 2 * allowance.tokensSent + tokensOfOthersAtMost;
}

function waitUntil(atMs: number, nowMs: number): number {
  return Math.min(longestPauseMs, Math.max(shortestWaitMs, atMs - nowMs));
}

function learn(allowance: AllowanceState, exchange: ExchangeFacts, nowMs: number): void {
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
  allowance.known = true;
  allowance.limit = count("x-ratelimit-limit-requests");
  allowance.tokenLimit = count("x-ratelimit-limit-tokens");
  const resetMs = resetAt("x-ratelimit-reset-requests");
  const isRefused = exchange.status === 429 && !isQuotaShape(exchange);
  if (isRefused) {
    const leftMs = resetMs - nowMs;
    const waitMs = longestWaitMs(exchange.retryHints) ?? Math.max(1000, leftMs);
    allowance.blockedUntilMs = nowMs + Math.min(longestPauseMs, waitMs + 1000);
    // Refused until the window ends: it does mean what it says. A cooldown says nothing of what remains of it, nor does a cap.
    if (Math.abs(waitMs - leftMs) <= sameEndMs)
      Object.assign(allowance, { tried: triesAtMost + 1, inVain: Number.NEGATIVE_INFINITY, distrusted: false });
  } else {
    if (allowance.waited && (isNone(remaining) || isNone(tokens))) allowance.inVain += 1;
    allowance.distrusted ||= allowance.tried === triesAtMost || allowance.inVain >= waitsAtMost;
  }
  allowance.waited = false;
  allowance.remaining = remaining === null || allowance.distrusted ? null : Math.max(0, remaining - allowance.inFlight);
  allowance.remainingTokens = tokens === null || allowance.distrusted ? null : Math.max(0, tokens - allowance.tokensInFlight);
  allowance.resetMs = resetMs;
  allowance.tokensResetMs = resetAt("x-ratelimit-reset-tokens");
}
