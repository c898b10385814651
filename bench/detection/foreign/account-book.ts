/** Keys, limits, money and usage of the foreign service. Its clock runs ahead of this machine's by `skewMs`. */

export interface Holder {
  readonly id: string;
  readonly secret: string;
  readonly organization: "own" | "other" | "late" | "broke";
  readonly may: ReadonlySet<"read" | "infer" | "agents" | "admin">;
  readonly state: "live" | "expired" | "revoked" | "replaced";
  readonly perMinute: number;
  settings: Settings;
}

export interface Settings {
  monthly_spend_cap: number | null;
  burst_limit: number | null;
  cooldown_seconds: number | null;
}

export interface Spent {
  readonly atMs: number;
  readonly holder: string;
  readonly organization: string;
  readonly prompt: number;
  readonly completion: number;
  readonly microDollars: number;
}

/** The numbers of the six fields, and whether the request may pass. */
export interface Reading {
  readonly limit: number;
  readonly left: number;
  readonly resetMs: number;
  readonly tokenLimit: number;
  readonly tokensLeft: number;
  readonly tokenResetMs: number;
}

const minuteMs = 60_000;
const tokensPerMinute = 240_000;
const noSettings: Settings = { monthly_spend_cap: null, burst_limit: null, cooldown_seconds: null };

type Draft = readonly [
  name: string,
  may: readonly ("read" | "infer" | "agents" | "admin")[],
  more?: Partial<Pick<Holder, "organization" | "state" | "perMinute">> & { readonly cap?: number },
];

const plain = ["read", "infer"] as const;
const drafts: readonly Draft[] = [
  ["primary", plain],
  ["secondary", plain],
  ["admin", ["read", "infer", "agents", "admin"]],
  ["readOnly", ["read"]],
  ["agentWrite", ["read", "agents"]],
  ["expired", plain, { state: "expired" }],
  ["revoked", plain, { state: "revoked" }],
  ["rotated", plain, { state: "replaced" }],
  ["replacement", plain],
  ["pastDue", plain, { organization: "late" }],
  ["noCredit", plain, { organization: "broke" }],
  ["exhausted", plain, { cap: 2 }],
  ["lowLimit", plain, { perMinute: 7 }],
  ["foreign", plain, { organization: "other" }],
  ["examRequests", plain, { perMinute: 60 }],
  ["examRequestsTwin", plain, { perMinute: 60 }],
  ["examSettings", plain],
  ["spendA", plain],
  ["spendB", plain],
];

interface Cycle {
  readonly begunMs: number;
  readonly endsMs: number;
}

interface Window {
  startMs: number;
  used: number;
  tokens: number;
  tokensAtMs: number;
}

export class AccountBook {
  readonly skewMs: number;
  readonly holders: Map<string, Holder> = new Map();
  readonly spent: Spent[] = [];
  accountCap: number | null = null;
  readonly #windows = new Map<string, Window>();
  readonly #bursts = new Map<string, { times: number[]; coolsUntilMs: number }>();

  readonly #cycle: Cycle;

  constructor(perMinute: number, skewMs: number) {
    this.skewMs = skewMs;
    this.#cycle = cycleAround(this.nowMs());
    for (const [name, may, more = {}] of drafts) {
      const { cap = null, ...rest } = more;
      this.holders.set(name, {
        id: `k-${scramble(`${name}-id`, 12)}`,
        secret: `loom.${scramble(name, 34)}`,
        organization: "own",
        may: new Set(may),
        state: "live",
        perMinute,
        ...rest,
        settings: { ...noSettings, monthly_spend_cap: cap },
      });
    }
    this.spend("exhausted", "own", { prompt: 900, completion: 100, microDollars: 20_400, atMs: this.nowMs() - 3 * 86_400_000 });
  }

  nowMs(): number {
    return Date.now() + this.skewMs;
  }

  spend(holder: string, organization: string, what: Omit<Spent, "holder" | "organization" | "atMs"> & { atMs?: number }): void {
    this.spent.push({ atMs: this.nowMs(), holder, organization, ...what });
  }

  /** A window of a minute begins with the first request after the last one ended; tokens trickle back all the time. */
  count(name: string, endpoint: string, uses: number): Reading {
    const nowMs = this.nowMs();
    const key = `${name} ${endpoint}`;
    let window = this.#windows.get(key);
    if (window === undefined) {
      window = { startMs: nowMs, used: 0, tokens: 0, tokensAtMs: nowMs };
      this.#windows.set(key, window);
    }
    if (nowMs >= window.startMs + minuteMs) Object.assign(window, { startMs: nowMs, used: 0 });
    window.tokens = Math.max(0, window.tokens - ((nowMs - window.tokensAtMs) * tokensPerMinute) / minuteMs);
    window.tokensAtMs = nowMs;
    const limit = this.holders.get(name)?.perMinute ?? 1;
    window.used += uses;
    return {
      limit,
      left: limit - window.used,
      resetMs: window.startMs + minuteMs,
      tokenLimit: tokensPerMinute,
      tokensLeft: Math.max(0, Math.floor(tokensPerMinute - window.tokens)),
      tokenResetMs: nowMs + (window.tokens * minuteMs) / tokensPerMinute,
    };
  }

  useTokens(name: string, endpoint: string, tokens: number): void {
    const window = this.#windows.get(`${name} ${endpoint}`);
    if (window !== undefined) window.tokens += tokens;
  }

  /** Milliseconds for which a key still cools down; 0: it may pass. The cooldown begins with the first request too many. */
  cools(name: string): number {
    const { burst_limit: limit, cooldown_seconds: seconds } = this.holders.get(name)?.settings ?? noSettings;
    const nowMs = this.nowMs();
    const burst = this.#bursts.get(name) ?? { times: [], coolsUntilMs: 0 };
    this.#bursts.set(name, burst);
    if (burst.coolsUntilMs > nowMs) return burst.coolsUntilMs - nowMs;
    burst.times = burst.times.filter((atMs) => atMs > nowMs - minuteMs);
    if (limit !== null && burst.times.length >= limit) {
      burst.coolsUntilMs = nowMs + (seconds ?? 1) * 1000;
      burst.times = [];
      return burst.coolsUntilMs - nowMs;
    }
    burst.times.push(nowMs);
    return 0;
  }

  /** Which cap holds a key back; null: none. */
  capOf(name: string): "monthly_spend" | "account_spend" | null {
    const holder = this.holders.get(name);
    if (holder === undefined) return null;
    const sinceMs = this.#cycle.begunMs;
    const sum = (those: (one: Spent) => boolean): number =>
      this.spent.filter((one) => one.atMs >= sinceMs && those(one)).reduce((total, one) => total + one.microDollars, 0);
    const cap = holder.settings.monthly_spend_cap;
    if (cap !== null && sum((one) => one.holder === name) >= cap * 10_000) return "monthly_spend";
    const ceiling = holder.organization === "own" ? this.accountCap : null;
    return ceiling !== null && sum((one) => one.organization === "own") >= ceiling * 10_000 ? "account_spend" : null;
  }

  /** Milliseconds until the cycle ends. */
  cycleLeftMs(): number {
    return Math.max(1, Math.ceil(this.#cycle.endsMs - this.nowMs()));
  }
}

/** A cycle ends on the day of the month on which it began, here four days before today, at six o'clock. */
function cycleAround(nowMs: number): Cycle {
  const edge = new Date(nowMs - 4 * 86_400_000);
  edge.setUTCHours(6, 0, 0, 0);
  const begunMs = edge.getTime();
  edge.setUTCMonth(edge.getUTCMonth() + 1);
  return { begunMs, endsMs: edge.getTime() };
}

/** Letters that look drawn, the same for the same text. */
function scramble(text: string, length: number): string {
  let state = Array.from(text).reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0, 7);
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return "abcdefghjkmnpqrstuvwxyz23456789".charAt((state >>> 16) % 31);
  }).join("");
}
