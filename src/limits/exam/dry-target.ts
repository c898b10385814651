import type { Manifest } from "../../core/manifest.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { queueKeys } from "./exam-keys.ts";
import { declaredRequests } from "../history/declared-requests.ts";
import { tolerancesFor } from "../history/tolerances.ts";

/** What the model answers, and how long it holds the request back. */
export interface DryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly heldMs: number;
}

/** Requests per window where the manifest declares none. */
const defaultRequests = 60;
const defaultTokens = 2000;
/** How the model counts: a window of the clock, one that begins with the first request after it ended, or a bucket that refills. */
export type DryFamily = "fixed-window" | "fixed-from-first" | "token-bucket";

/** Limits that nobody reaches in an exam, so that the model holds its numbers exactly. */
const mostRequests = 1e9;
const tokensOfRequest = 20;

interface Window {
  atMs: number;
  endMs: number;
  /** Used in the window; of a bucket: what is missing. */
  requests: number;
  tokens: number;
}

interface KeyState {
  burst: number | null;
  cooldownMs: number;
  admittedMs: number[];
  coolsUntilMs: number;
  spentCents: number;
  capCents: number | null;
}

/**
 * The simplest service that keeps the declared limits: windows or a bucket, a sliding minute with a cooldown, caps that refuse what has
 * reached them. It answers what schedules look at and nothing else: the plan of an exam is how they go against it.
 */
export function createDryTarget(
  manifest: Manifest,
  { family, holdsShare = 1 }: { readonly family: DryFamily; readonly holdsShare?: number },
): (request: SendRequest, nowMs: number, wallMs: number) => DryAnswer {
  const { windowMs } = tolerancesFor(manifest);
  const used = new Map<string, Window>();
  const keys = new Map<string, KeyState>();
  let accountCapCents: number | null = null;
  const keyOf = (name: string): KeyState => {
    const known = keys.get(name);
    if (known) return known;
    const state: KeyState = { burst: null, cooldownMs: 0, admittedMs: [], coolsUntilMs: 0, spentCents: 0, capCents: null };
    keys.set(name, state);
    return state;
  };
  const accountCents = (): number => [...keys.values()].reduce((sum, { spentCents }) => sum + spentCents, 0);
  const nameOfId = (path: string): string => {
    const id = path.split("/")[3] ?? "";
    return Object.entries(manifest.keys).find(([, key]) => key.id !== null && encodeURIComponent(key.id) === id)?.[0] ?? "";
  };

  const isBucket = family === "token-bucket";
  const endOf = (wallMs: number): number =>
    family === "fixed-from-first" ? wallMs + windowMs : (Math.floor(wallMs / windowMs) + 1) * windowMs;
  const windowAt = (scope: string, limit: number, wallMs: number): Window => {
    const fresh = { atMs: wallMs, endMs: endOf(wallMs), requests: 0, tokens: 0 };
    let window = used.get(scope) ?? fresh;
    if (isBucket) {
      const refilled = (limit * (wallMs - window.atMs)) / windowMs;
      const requests = Math.max(0, window.requests - refilled);
      window = { ...window, atMs: wallMs, endMs: wallMs + (requests * windowMs) / limit, requests };
    } else if (window.endMs <= wallMs) window = fresh;
    used.set(scope, window);
    return window;
  };

  const change = (request: SendRequest): DryAnswer => {
    const value = request.body?.kind === "json" ? (request.body.value as Readonly<Record<string, number | null>>) : {};
    if (request.endpoint === "account-settings") accountCapCents = value["account_spend_cap"] ?? null;
    else {
      const key = keyOf(nameOfId(request.path));
      if ("burst_limit" in value) Object.assign(key, { burst: value["burst_limit"], admittedMs: [], coolsUntilMs: 0 });
      if ("cooldown_seconds" in value) key.cooldownMs = (value["cooldown_seconds"] ?? 0) * 1000;
      if ("monthly_spend_cap" in value) key.capCents = value["monthly_spend_cap"] ?? null;
    }
    return { status: 200, headers: {}, body: value, heldMs: 0 };
  };

  return (request, nowMs, wallMs) => {
    if (request.method === "PATCH") return change(request);
    const name = request.credential.kind === "bearer" ? request.credential.key : null;
    if (name === null) return { status: 401, headers: {}, body: {}, heldMs: 0 };
    const key = keyOf(name);
    const limit = Math.min(
      declaredRequests(manifest, name) ?? manifest.limits.requestsPerMinute ?? defaultRequests,
      mostRequests,
    );
    const tokenLimit = manifest.limits.tokensPerMinute ?? defaultTokens;
    const holds = Math.ceil(limit * holdsShare);
    const scope = `${name} ${request.endpoint}`;
    const window = windowAt(scope, limit, wallMs);
    const resetSeconds = String(Math.ceil(window.endMs / 1000));
    const headers = (): Record<string, string> => ({
      "x-ratelimit-limit-requests": String(limit),
      "x-ratelimit-remaining-requests": String(Math.max(0, Math.floor(holds - window.requests))),
      "x-ratelimit-reset-requests": resetSeconds,
      "x-ratelimit-limit-tokens": String(tokenLimit),
      "x-ratelimit-remaining-tokens": String(Math.max(0, tokenLimit - window.tokens)),
      "x-ratelimit-reset-tokens": resetSeconds,
    });
    const refuse = (waitMs: number, code: string): DryAnswer => {
      const seconds = Math.ceil(waitMs / 1000);
      const body = { error: { code, message: code }, "retry-after": seconds };
      return { status: 429, headers: { ...headers(), "retry-after": String(seconds) }, body, heldMs: 0 };
    };
    if (nowMs < key.coolsUntilMs) {
      const leftMs = key.coolsUntilMs - nowMs;
      const queues = manifest.limits.queueing === "queue" || queueKeys.includes(name);
      if (!queues) return refuse(leftMs, "burst_limit_exceeded");
      return { status: 200, headers: headers(), body: {}, heldMs: leftMs };
    }
    if (window.requests > holds - 1) {
      const nextMs = isBucket ? (window.requests - holds + 1) * (windowMs / limit) : window.endMs - wallMs;
      return refuse(nextMs, "rate_limit_exceeded");
    }
    const isPicture = request.endpoint === "images";
    const cents = isPicture ? manifest.prices.perImage * 100 : 0;
    const isCapped = key.capCents !== null && key.spentCents + cents > key.capCents;
    const isAccountCapped = accountCapCents !== null && accountCents() + cents > accountCapCents;
    if ((isPicture || request.endpoint === "chat") && (isCapped || isAccountCapped)) {
      const body = { error: "quota_exceeded", retry_after_ms: 86_400_000, cap_type: "monthly_spend" };
      return { status: 429, headers: headers(), body, heldMs: 0 };
    }
    const tokens = request.endpoint === "chat" ? tokensIn(request) : 0;
    if (tokens > 0 && window.tokens >= tokenLimit) return refuse(window.endMs - wallMs, "token_limit_exceeded");
    window.requests += 1;
    window.tokens += tokens;
    key.spentCents += cents;
    key.admittedMs = [...key.admittedMs.filter((atMs) => atMs > nowMs - windowMs), nowMs];
    if (key.burst !== null && key.admittedMs.length >= key.burst) {
      Object.assign(key, { coolsUntilMs: nowMs + key.cooldownMs, admittedMs: [] });
    }
    const usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
    const body = request.endpoint === "usage" ? { aggregate: { total_cost_usd: accountCents() / 100 } } : { usage };
    return { status: 200, headers: headers(), body, heldMs: 0 };
  };
}

function tokensIn({ body }: SendRequest): number {
  return tokensOfRequest + (body?.kind === "json" ? JSON.stringify(body.value).split(" ").length : 0);
}
