import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import { singleHeader } from "../../core/exchange/headers/header-list.ts";
import { longestWaitMs } from "../../core/exchange/headers/retry-hints.ts";
import type { WaitAccount } from "../plan/wait-account.ts";

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

/** The statements of the target about requests or tokens, the two quantities that it counts for a key and an endpoint. */
interface Meter {
  /** How many were let go so far; of tokens the worst case. */
  sent: number;
  /** Requests sent although the target says that too little remains, because we cannot have used that much. */
  tried: number;
  /** Those were served: what the target says of this is not waited for any more. */
  distrusted: boolean;
  /** Resets that were waited for, after which nothing remained again. */
  inVain: number;
  /** A wait for its reset has ended and no answer has come since. */
  waited: boolean;
  limit: number | null;
  /** null: the target does not say. */
  remaining: number | null;
  /** Run clock; before it the allowance does not grow. */
  resetMs: number;
}

interface AllowanceState {
  inFlight: number;
  tokensInFlight: number;
  known: boolean;
  readonly requests: Meter;
  readonly tokens: Meter;
  /** In a row. */
  refusals: number;
  /** Run clock; the first of them. */
  refusedFromMs: number;
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
/** Limits are those of a minute. */
const windowMs = 60_000;

export function createRequestPacer({ clock, waits, onWait, onDistrust }: PacerOptions): RequestPacer {
  const allowances = new Map<string, AllowanceState>();
  /** If one of its numbers means nothing, none of the others is waited for before it is tried. */
  let isDoubtful = false;
  const allowanceOf = (name: string): AllowanceState => {
    const state = allowances.get(name) ?? {
      inFlight: 0,
      tokensInFlight: 0,
      known: false,
      requests: newMeter(),
      tokens: newMeter(),
      refusals: 0,
      refusedFromMs: 0,
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
      onWait(name, decision.ms);
      if (decision.of !== null) decision.of.waited = true;
      await waits.sleep(decision.ms, signal);
    }
  };

  const settle = (name: string, tokens: number, exchange: Exchange): void => {
    const allowance = allowanceOf(name);
    allowance.inFlight -= 1;
    allowance.tokensInFlight -= tokens;
    const isDistrusted = (): boolean => allowance.requests.distrusted || allowance.tokens.distrusted;
    const wasDistrusted = isDistrusted();
    if (exchange.response !== null) learn(allowance, factsOf(exchange), clock.nowMs());
    isDoubtful ||= isDistrusted();
    if (isDistrusted() && !wasDistrusted) onDistrust(name);
    // Limits are those of a key: where none is presented, only a refusal says something.
    if (exchange.keyName === null) for (const meter of [allowance.requests, allowance.tokens]) meter.remaining = null;
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

function newMeter(): Meter {
  return { sent: 0, tried: 0, distrusted: false, inVain: 0, waited: false, limit: null, remaining: null, resetMs: 0 };
}

function leave(allowance: AllowanceState, tokens: number, nowMs: number): void {
  // A request that leaves after a reset is no try: the old numbers are void.
  for (const meter of lacking(allowance, tokens)) if (nowMs < meter.resetMs) meter.tried += 1;
  allowance.inFlight += 1;
  allowance.tokensInFlight += tokens;
  spend(allowance.requests, 1);
  spend(allowance.tokens, tokens);
}

function spend(meter: Meter, amount: number): void {
  meter.sent += amount;
  if (meter.remaining !== null) meter.remaining -= amount;
}

interface Wait {
  readonly ms: number;
  /** The meter with whose reset it ends; null: it was refused. */
  readonly of: Meter | null;
}

/** May it go, must it wait for an answer in flight, or sleep for this long? */
function decide(allowance: AllowanceState, tokens: number, nowMs: number, isDoubtful: boolean): "go" | "answer" | Wait {
  if (nowMs < allowance.blockedUntilMs) return { ms: waitUntil(allowance.blockedUntilMs, nowMs), of: null };
  if (!allowance.known) return allowance.inFlight === 0 ? "go" : "answer";
  const short = lacking(allowance, tokens);
  if (short.length === 0) return "go";
  // Answers in flight say what there is now, and past the reset one request goes alone and learns it. So does one that tries a
  // window which we cannot have used up, before a minute is spent on waiting for it.
  if (allowance.inFlight > 0) return "answer";
  const awaited = short.find((meter) => nowMs < meter.resetMs);
  if (awaited === undefined || short.some((meter) => isImplausible(meter, isDoubtful, allowance))) return "go";
  return { ms: waitUntil(awaited.resetMs, nowMs), of: awaited };
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

/**
 * The meters with too little left for this request. A request that is worth more than the whole limit fits into no window and
 * is sent as it is.
 */
function lacking(allowance: AllowanceState, tokens: number): readonly Meter[] {
  const { remaining, limit } = allowance.tokens;
  const isShort = remaining !== null && remaining < tokens && (limit === null || tokens <= limit);
  return [...(isNone(allowance.requests.remaining) ? [allowance.requests] : []), ...(isShort ? [allowance.tokens] : [])];
}

/** Whether more is said to be used than was sent, or what was tried has shown that the number is not meant. */
function isImplausible(meter: Meter, isDoubtful: boolean, { requests }: AllowanceState): boolean {
  if (meter.tried >= triesAtMost) return false;
  if (meter.tried > 0 || isDoubtful) return true;
  const { limit, remaining, sent } = meter;
  const used = (limit ?? 0) - (remaining ?? 0);
  if (meter !== requests) return used > 2 * sent + tokensOfOthersAtMost;
  return limit !== null && (limit < leastUsableLimit || used > sent + othersAtMost);
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
  const isRefused = exchange.status === 429 && !exchange.isQuotaExceeded;
  allowance.refusals = isRefused ? allowance.refusals + 1 : 0;
  if (allowance.refusals === 1) allowance.refusedFromMs = nowMs;
  const leftMs = resetAt("x-ratelimit-reset-requests") - nowMs;
  // A refusal that states no wait and does not come from a window ends nobody knows when: it is tried again soon, then later, and
  // once it has outlasted a whole window nothing shows that any wait helps.
  const windowLeftMs = Math.max(0, allowance.refusedFromMs + windowMs - nowMs);
  const soonMs = Math.min(1000 * 2 ** allowance.refusals, windowLeftMs);
  const unstatedMs = exchange.rejectCause === "burst" ? soonMs : Math.max(1000, leftMs);
  const waitMs = isRefused ? (longestWaitMs(exchange.retryHints) ?? unstatedMs) : null;
  allowance.known = true;
  if (waitMs !== null) allowance.blockedUntilMs = nowMs + Math.min(longestPauseMs, waitMs + 1000);
  for (const [unit, inFlight] of [
    ["requests", allowance.inFlight],
    ["tokens", allowance.tokensInFlight],
  ] as const) {
    const meter = allowance[unit];
    const remaining = count(`x-ratelimit-remaining-${unit}`);
    meter.limit = count(`x-ratelimit-limit-${unit}`);
    meter.resetMs = resetAt(`x-ratelimit-reset-${unit}`);
    if (waitMs === null) {
      if (meter.waited && isNone(remaining)) meter.inVain += 1;
      meter.distrusted ||= meter.tried === triesAtMost || meter.inVain >= waitsAtMost;
    } else if (Math.abs(waitMs - (meter.resetMs - nowMs)) <= sameEndMs) {
      // Refused until this window ends: it does mean what it says. A cooldown says nothing of what remains, nor does a cap.
      Object.assign(meter, { tried: triesAtMost + 1, inVain: Number.NEGATIVE_INFINITY, distrusted: false });
    }
    meter.waited = false;
    meter.remaining = remaining === null || meter.distrusted ? null : Math.max(0, remaining - inFlight);
  }
}
