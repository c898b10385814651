export interface KeyRole {
  readonly name: string;
  /** The state in which the target has to hold the key. */
  readonly state: string;
}

/** Names of `keys` in the manifest that checks look for. Other names are free, for load profiles that name a key of their own. */
export const keyRoles: readonly KeyRole[] = [
  { name: "primary", state: "an ordinary key that may read and write; from ASSAY_API_KEY where the manifest names none" },
  { name: "secondary", state: "a second ordinary key of the same account" },
  { name: "admin", state: "a key that may change settings of keys and of the account" },
  { name: "readOnly", state: "a key that may read and not write" },
  { name: "agentWrite", state: "a key with the scope agent:write that may not administer" },
  { name: "expired", state: "a key that has expired" },
  { name: "revoked", state: "a key that was revoked" },
  { name: "rotated", state: "a key that was rotated: a newer key replaced it" },
  { name: "replacement", state: "the key that replaced the rotated one, at least a minute ago" },
  { name: "fresh", state: "a key created less than a minute ago; give createdAt" },
  { name: "pastDue", state: "a key of an account whose subscription is past due" },
  { name: "noCredit", state: "a key of an account whose credit is used up" },
  { name: "exhausted", state: "a key that has reached its monthly spend cap" },
  { name: "lowLimit", state: "a key with a request limit of a few a minute" },
  { name: "lowToken", state: "a key with a token limit of a few hundred a minute" },
  { name: "queue", state: "a key whose requests are queued, not rejected, during a cooldown" },
  { name: "reject", state: "a key whose requests are rejected during a cooldown" },
  { name: "starter", state: "an ordinary key on the starter plan" },
  { name: "sandbox", state: "a sandbox key, with the other prefix" },
  { name: "sandboxSecondary", state: "a second sandbox key" },
  { name: "examSettings", state: "a key that nobody else uses; its settings are changed and restored; give its id" },
  { name: "examRequests", state: "a key that nobody else uses; its request limit is used up" },
  { name: "examRequestsTwin", state: "a key that nobody else uses; must not be affected by what examRequests does" },
  { name: "examTokens", state: "a key that nobody else uses; its token limit is used up" },
  { name: "examBurst", state: "a key that nobody else uses, whose requests are rejected in a cooldown; give its id" },
  { name: "examBurstQueue", state: "a key that nobody else uses, whose requests are queued in a cooldown; give its id" },
  { name: "examSpend", state: "a key that nobody else uses; its spend cap is reached; give its id" },
  { name: "spendA", state: "a key whose spend cap is reached; give its id" },
  { name: "spendB", state: "a second key of the account of spendA" },
  { name: "spendAdmin", state: "a key that administers the account of spendA and spendB" },
  { name: "load", state: "an ordinary key with limits above the load" },
];
