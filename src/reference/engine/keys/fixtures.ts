import { createRandom, type Random } from "../../../core/random.ts";
import { type AccountRecord, type KeyRecord, type KeySettingsValues, ordinaryKey, type Plan } from "./key-record.ts";

/** Keys that the embedded service starts with: one for every fixture of the manifest, and some for exams of limits. */
export interface Fixtures {
  readonly keys: readonly KeyRecord[];
  readonly accounts: readonly AccountRecord[];
  /** Money that keys have spent before the service started. */
  readonly spent: readonly { readonly keyId: string; readonly micros: number }[];
}

/** A new key takes up to 60 s to take effect (spec, Authentication, 4). */
export const keyPropagationMs = 60_000;

const dayMs = 86_400_000;
const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

type Draft = Partial<Omit<KeyRecord, "settings">> & {
  readonly name: string;
  readonly prefix?: string;
  readonly settings?: Partial<KeySettingsValues>;
};

/** Deterministic for a seed, secrets included. `plan`: of keys for which no other is stated. */
export function createFixtures(seed: number, nowMs: number, plan: Plan = "pro"): Fixtures {
  const random = createRandom(seed).fork("keys");
  const born = Math.floor(nowMs) - 30 * dayMs;
  const keys = drafts(Math.floor(nowMs)).map((draft) => complete({ plan, ...draft }, random.fork(draft.name), born));
  return {
    keys,
    accounts: [
      { id: "acct_main", standing: "good", account_spend_cap: null },
      { id: "acct_foreign", standing: "good", account_spend_cap: null },
      { id: "acct_past_due", standing: "past-due", account_spend_cap: null },
      { id: "acct_no_credit", standing: "no-credit", account_spend_cap: null },
      { id: "acct_spend", standing: "good", account_spend_cap: null },
    ],
    spent: keys.filter(({ name }) => name === "exhausted").map(({ id }) => ({ keyId: id, micros: 50_000 })),
  };
}

function drafts(nowMs: number): readonly Draft[] {
  const spend = { account: "acct_spend", workspace: "ws_spend" };
  return [
    { name: "primary" },
    { name: "secondary", prefix: "sk_live_" },
    { name: "admin", scopes: ["read", "write", "admin"] },
    { name: "readOnly", scopes: ["read"] },
    { name: "agentWrite", scopes: ["read", "agent:write"] },
    { name: "sandbox", prefix: "nim_test_" },
    { name: "sandboxSecondary", prefix: "sk_test_" },
    { name: "expired", expiresAtMs: nowMs - dayMs },
    { name: "revoked", disposition: "revoked" },
    { name: "rotated", disposition: "rotated" },
    { name: "replacement" },
    { name: "fresh", createdAtMs: nowMs, effectiveAtMs: nowMs + keyPropagationMs },
    { name: "pastDue", account: "acct_past_due", workspace: "ws_past_due" },
    { name: "noCredit", account: "acct_no_credit", workspace: "ws_no_credit" },
    { name: "exhausted", settings: { monthly_spend_cap: 5 } },
    { name: "starter", plan: "starter" },
    { name: "lowLimit", plan: "starter", limits: { requestsPerWindow: 5 } },
    { name: "lowToken", plan: "starter", limits: { tokensPerWindow: 600 } },
    { name: "queue", whenCooling: "queue", settings: { burst_limit: 5, cooldown_seconds: 3 } },
    { name: "reject", settings: { burst_limit: 5, cooldown_seconds: 3 } },
    { name: "foreign", account: "acct_foreign", workspace: "ws_foreign" },
    // One key per exam, so that exams do not disturb each other (two where isolation of keys is examined).
    { name: "examRequests", plan: "starter" },
    { name: "examRequestsTwin", plan: "starter" },
    { name: "examTokens", plan: "starter", limits: { tokensPerWindow: 4000 } },
    { name: "examBurst" },
    { name: "examBurstQueue", whenCooling: "queue" },
    { name: "examSpend" },
    { name: "examSettings" },
    { name: "spendAdmin", ...spend, scopes: ["read", "write", "admin"] },
    { name: "spendA", ...spend },
    { name: "spendB", ...spend },
    { name: "load", limits: { requestsPerWindow: 1_000_000, tokensPerWindow: 1_000_000_000 } },
  ];
}

function complete(draft: Draft & Pick<KeyRecord, "plan">, random: Random, bornMs: number): KeyRecord {
  const { prefix = "nim_live_", settings, ...rest } = draft;
  return {
    id: `key_${letters(random, 16)}`,
    secret: `${prefix}${letters(random, 32)}`,
    ...ordinaryKey,
    createdAtMs: bornMs,
    effectiveAtMs: bornMs + keyPropagationMs,
    settings: { ...ordinaryKey.settings, ...settings },
    ...rest,
  };
}

function letters(random: Random, count: number): string {
  return Array.from({ length: count }, () => alphabet[random.integer(0, alphabet.length - 1)]).join("");
}
