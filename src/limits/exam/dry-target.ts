import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { type DryCounting, type DryWindow, DryWindows } from "./dry-windows.ts";
import { queueKeys, tokenKeys } from "../probe/exam-keys.ts";
import { declaredRequests } from "../history/declared-requests.ts";
import { tolerancesFor } from "../history/tolerances.ts";
import { supposedRequests } from "../probe/reach.ts";

/** The answer of the model, and the time that it holds the request back. */
export interface DryAnswer {
  readonly status: number;
  /** The limits that its headers state; null: they state none. */
  readonly limits: DryLimits | null;
  readonly retryAfterSeconds: number | null;
  readonly body: unknown;
  readonly heldMs: number;
}

export interface DryLimits {
  readonly requests: number;
  readonly requestsLeft: number;
  readonly tokens: number;
  readonly tokensLeft: number;
  /** Unix seconds. */
  readonly reset: number;
}

/** Tokens per window of a key that is there for its small limit. */
const defaultTokens = 2000;

/** A limit that nobody reaches in an exam, and whose numbers the model holds exactly. */
const beyondReach = 1e9;
const tokensOfRequest = 20;

const unlimited = { status: 200, limits: null, retryAfterSeconds: null, heldMs: 0 } as const;

interface KeyState {
  readonly name: string;
  readonly limit: number;
  readonly tokenLimit: number;
  burst: number | null;
  cooldownMs: number;
  admittedMs: readonly number[];
  coolsUntilMs: number;
  spentCents: number;
  capCents: number | null;
}

interface DryTime {
  readonly nowMs: number;
  readonly wallMs: number;
}

/** The limits that one request meets, before it is decided. */
interface Met {
  readonly key: KeyState;
  readonly window: DryWindow;
}

/** The part of a request that is counted. */
interface Counted {
  readonly request: SendRequest;
  readonly tokens: number;
  readonly cents: number;
}

/**
 * The simplest service that keeps the declared limits: windows or a bucket, a sliding minute with a cooldown, caps that refuse what has
 * reached them. It answers what schedules look at and nothing else: the plan of an exam is how they go against it.
 */
export class DryTarget {
  readonly #manifest: Manifest;
  readonly #windowMs: number;
  readonly #windows: DryWindows;
  readonly #keys = new Map<string, KeyState>();
  #accountCapCents: number | null = null;
  /** Of the latest request: tens of thousands that use up a large limit are one. */
  #counted: Counted | null = null;

  constructor(manifest: Manifest, counting: DryCounting) {
    this.#manifest = manifest;
    this.#windowMs = tolerancesFor(manifest).windowMs;
    this.#windows = new DryWindows(counting, this.#windowMs);
  }

  answer(request: SendRequest, time: DryTime): DryAnswer {
    if (request.method === "PATCH") return this.#change(request);
    const name = "key" in request.credential ? request.credential.key : null;
    if (name === null) return { ...unlimited, status: 401, body: {} };
    const key = this.#keyOf(name);
    const met = { key, window: this.#windows.at(key, request.endpoint, time.wallMs) };
    return this.#otherwise(request, met, time) ?? this.#serve(request, met, time);
  }

  /** The answer of a limit to a request, of the cooldown first; null: the request is served. */
  #otherwise(request: SendRequest, met: Met, { nowMs, wallMs }: DryTime): DryAnswer | null {
    const { key, window } = met;
    if (nowMs < key.coolsUntilMs) {
      const leftMs = key.coolsUntilMs - nowMs;
      const queues = this.#manifest.limits.queueing === "queue" || queueKeys.includes(key.name);
      if (!queues) return this.#refuse(met, leftMs, "burst_limit_exceeded");
      return { ...unlimited, limits: limitsOf(met), body: {}, heldMs: leftMs };
    }
    const { limiter, state, tokens } = window;
    if (limiter.left(state) < 1) return this.#refuse(met, limiter.nextMs(state) - wallMs, "rate_limit_exceeded");
    if (this.#isOverCap(request, key)) {
      const body = { error: "quota_exceeded", retry_after_ms: 86_400_000, cap_type: "monthly_spend" };
      return { ...unlimited, status: 429, limits: limitsOf(met), body };
    }
    if (tokens >= key.tokenLimit && this.#count(request).tokens > 0)
      return this.#refuse(met, limiter.fullMs(state) - wallMs, "token_limit_exceeded");
    return null;
  }

  #serve(request: SendRequest, met: Met, { nowMs, wallMs }: DryTime): DryAnswer {
    const { key, window } = met;
    const { tokens, cents } = this.#count(request);
    window.state = window.limiter.step(window.state, "take", wallMs);
    window.tokens += tokens;
    key.spentCents += cents;
    if (key.burst !== null) countInBurst(key, key.burst, nowMs, this.#windowMs);
    const body = request.endpoint === "usage" ? { aggregate: { total_cost_usd: this.#accountCents() / 100 } } : usageOf(tokens);
    return { status: 200, limits: limitsOf(met), retryAfterSeconds: null, body, heldMs: 0 };
  }

  #refuse(met: Met, waitMs: number, code: string): DryAnswer {
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    const body = { error: { code, message: code }, "retry-after": retryAfterSeconds };
    return { status: 429, limits: limitsOf(met), retryAfterSeconds, body, heldMs: 0 };
  }

  #change(request: SendRequest): DryAnswer {
    const value = request.body?.kind === "json" ? (request.body.value as Readonly<Record<string, number | null>>) : {};
    if (request.endpoint === "account-settings") this.#accountCapCents = value["account_spend_cap"] ?? null;
    else {
      const key = this.#keyOf(this.#nameOfId(request.path));
      if ("burst_limit" in value) Object.assign(key, { burst: value["burst_limit"], admittedMs: [], coolsUntilMs: 0 });
      if ("cooldown_seconds" in value) key.cooldownMs = (value["cooldown_seconds"] ?? 0) * 1000;
      if ("monthly_spend_cap" in value) key.capCents = value["monthly_spend_cap"] ?? null;
    }
    return { ...unlimited, body: value };
  }

  #limitOf(name: string): number {
    const declared = declaredRequests(this.#manifest, name) ?? this.#manifest.limits.requestsPerMinute;
    return Math.min(declared ?? supposedRequests, beyondReach);
  }

  #tokenLimitOf(name: string): number {
    return this.#manifest.limits.tokensPerMinute ?? (tokenKeys.includes(name) ? defaultTokens : beyondReach);
  }

  #keyOf(name: string): KeyState {
    const known = this.#keys.get(name);
    if (known) return known;
    const state: KeyState = {
      name,
      limit: this.#limitOf(name),
      tokenLimit: this.#tokenLimitOf(name),
      burst: null,
      cooldownMs: 0,
      admittedMs: [],
      coolsUntilMs: 0,
      spentCents: 0,
      capCents: null,
    };
    this.#keys.set(name, state);
    return state;
  }

  #nameOfId(path: string): string {
    const id = path.split("/")[3] ?? "";
    const named = Object.entries(this.#manifest.keys).find(([, key]) => key.id !== null && encodeURIComponent(key.id) === id);
    return named?.[0] ?? "";
  }

  #isOverCap(request: SendRequest, key: KeyState): boolean {
    if (key.capCents === null && this.#accountCapCents === null) return false;
    const { cents } = this.#count(request);
    if (cents === 0) return false;
    const isCapped = key.capCents !== null && key.spentCents + cents > key.capCents;
    return isCapped || (this.#accountCapCents !== null && this.#accountCents() + cents > this.#accountCapCents);
  }

  #count(request: SendRequest): Counted {
    if (this.#counted?.request === request) return this.#counted;
    this.#counted = { request, tokens: tokensIn(request), cents: this.#centsOf(request) };
    return this.#counted;
  }

  #centsOf({ endpoint, body }: SendRequest): number {
    const pictures = body?.kind === "json" && isJsonObject(body.value) ? Number(body.value["n"] ?? 1) : 1;
    if (endpoint === "images") return pictures * this.#manifest.prices.perImage * 100;
    if (endpoint === "transcriptions") return (bytesIn(body) / audioBytesPerMinute) * this.#manifest.prices.perAudioMinute * 100;
    return isText(endpoint) ? (wordsIn(body) * this.#manifest.prices.perMillionPromptTokens) / 1e4 : 0;
  }

  #accountCents(): number {
    return [...this.#keys.values()].reduce((sum, { spentCents }) => sum + spentCents, 0);
  }
}

function limitsOf({ key, window: { limiter, state, tokens } }: Met): DryLimits {
  return {
    requests: key.limit,
    requestsLeft: Math.max(0, Math.floor(limiter.left(state))),
    tokens: key.tokenLimit,
    tokensLeft: Math.max(0, key.tokenLimit - tokens),
    reset: Math.ceil(limiter.fullMs(state) / 1000),
  };
}

function usageOf(tokens: number): unknown {
  return tokens === 0 ? withoutTokens : { usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens } };
}

const withoutTokens = { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } };

function tokensIn({ endpoint, body }: SendRequest): number {
  if (endpoint !== "chat") return 0;
  return tokensOfRequest + wordsIn(body);
}

function wordsIn(body: SendRequest["body"]): number {
  return body?.kind === "json" ? JSON.stringify(body.value).split(" ").length : 0;
}

/** Of the recordings that exams send. */
const audioBytesPerMinute = 8000 * 60;

function bytesIn(body: SendRequest["body"]): number {
  const values = body?.kind === "multipart" ? body.parts.map(({ value }) => value) : [];
  return values.reduce((sum, value) => sum + (typeof value === "string" ? 0 : value.length), 0);
}

function isText(endpoint: SendRequest["endpoint"]): boolean {
  return endpoint === "chat" || endpoint === "embeddings";
}

/** Only where there is a burst limit: the admissions of a window are at most as many as it allows. */
function countInBurst(key: KeyState, burst: number, nowMs: number, windowMs: number): void {
  key.admittedMs = [...key.admittedMs.filter((atMs) => atMs > nowMs - windowMs), nowMs];
  if (key.admittedMs.length < burst) return;
  key.coolsUntilMs = nowMs + key.cooldownMs;
  key.admittedMs = [];
}
