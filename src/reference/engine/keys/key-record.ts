/** An API key as the service knows it. Everything is plain data. */
export interface KeyRecord {
  /** `key_id` of PATCH /v1/keys/{key_id}. */
  readonly id: string;
  /** Name of the fixture in the manifest; unique. */
  readonly name: string;
  /** Opaque: nothing reads its prefix. */
  readonly secret: string;
  readonly plan: Plan;
  readonly scopes: readonly Scope[];
  /** The owner's last action on the key; expiry and propagation are derived from the clock (`keyStateAt`). */
  readonly disposition: "active" | "revoked" | "rotated";
  readonly createdAtMs: number;
  /** A new key may take up to 60 s to take effect (spec, Authentication, 4). */
  readonly effectiveAtMs: number;
  readonly expiresAtMs: number | null;
  readonly workspace: string;
  readonly account: string;
  /** Deviations from the plan. */
  readonly limits: Partial<RateLimits>;
  /** The handling of requests during a cooldown; the specification shows no field for it. */
  readonly whenCooling: "reject" | "queue";
  readonly settings: KeySettingsValues;
}

export type Plan = "starter" | "pro";

/** `read` covers GETs, `write` inference, `agent:write` POST /v1/agents, `admin` everything. */
export type Scope = "read" | "write" | "agent:write" | "admin";

export type KeyState = "active" | "pending" | "expired" | "revoked" | "rotated";

export interface RateLimits {
  readonly requestsPerWindow: number;
  readonly tokensPerWindow: number;
  readonly windowMs: number;
}

/** null: no such limit. Caps in cents. */
export interface KeySettingsValues {
  readonly monthly_spend_cap: number | null;
  readonly burst_limit: number | null;
  readonly cooldown_seconds: number | null;
}

export interface AccountRecord {
  readonly id: string;
  readonly standing: "good" | "past-due" | "no-credit";
  /** Cents; null: no ceiling. */
  readonly account_spend_cap: number | null;
}

/** Default request limits per plan (spec, Rate limits); token limits are ours. */
export const planLimits: Readonly<Record<Plan, RateLimits>> = {
  starter: { requestsPerWindow: 60, tokensPerWindow: 100_000, windowMs: 60_000 },
  pro: { requestsPerWindow: 600, tokensPerWindow: 1_000_000, windowMs: 60_000 },
};

/** Members of a key where nothing else is stated. */
export const ordinaryKey: Omit<KeyRecord, "id" | "name" | "secret" | "plan" | "createdAtMs" | "effectiveAtMs"> = {
  scopes: ["read", "write"],
  disposition: "active",
  expiresAtMs: null,
  workspace: "ws_main",
  account: "acct_main",
  limits: {},
  whenCooling: "reject",
  settings: { monthly_spend_cap: null, burst_limit: null, cooldown_seconds: null },
};

export function rateLimitsOf(key: KeyRecord): RateLimits {
  return { ...planLimits[key.plan], ...key.limits };
}

export function keyStateAt(key: KeyRecord, nowMs: number): KeyState {
  if (key.disposition !== "active") return key.disposition;
  if (key.expiresAtMs !== null && nowMs >= key.expiresAtMs) return "expired";
  return nowMs < key.effectiveAtMs ? "pending" : "active";
}
