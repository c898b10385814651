export interface KeyRole {
  readonly name: string;
  /** The state in which the target has to hold the key. */
  readonly state: string;
}

/** Names of `keys` in the manifest that checks look for. Other names are free, for load profiles that name a key of their own. */
export const keyRoles: readonly KeyRole[] = [
  { name: "primary", state: "an ordinary key that may read and write; from ASSAY_API_KEY where the manifest names none" },
  { name: "secondary", state: "a second ordinary key of the same account" },
  { name: "admin", state: "may change settings of keys and of the account" },
  { name: "readOnly", state: "may read and not write" },
  { name: "agentWrite", state: "has the scope agent:write and may not administer" },
  { name: "expired", state: "has expired" },
  { name: "revoked", state: "was revoked" },
  { name: "rotated", state: "was replaced by a newer one" },
  { name: "fresh", state: "was created less than a minute ago; give createdAt" },
  { name: "pastDue", state: "of an account whose subscription is past due" },
  { name: "noCredit", state: "of an account whose credit is used up" },
  { name: "exhausted", state: "has reached its monthly spend cap" },
  { name: "lowLimit", state: "has a request limit of a handful a minute" },
  { name: "lowToken", state: "has a token limit of a few hundred a minute" },
  { name: "queue", state: "is queued, not rejected, during a cooldown" },
  { name: "reject", state: "is rejected during a cooldown" },
  { name: "starter", state: "an ordinary key on the starter plan" },
  { name: "sandbox", state: "a sandbox key, with the other prefix" },
  { name: "sandboxSecondary", state: "a second sandbox key" },
  { name: "examSettings", state: "nobody else uses it; its settings are changed and restored; give its id" },
  { name: "examRequests", state: "nobody else uses it; its request limit is used up" },
  { name: "examRequestsTwin", state: "nobody else uses it; must not notice what examRequests does" },
  { name: "examTokens", state: "nobody else uses it; its token limit is used up" },
  { name: "examBurst", state: "nobody else uses it; rejected in a cooldown; give its id" },
  { name: "examBurstQueue", state: "nobody else uses it; queued in a cooldown; give its id" },
  { name: "examSpend", state: "nobody else uses it; its spend cap is reached; give its id" },
  { name: "spendA", state: "its spend cap is reached; give its id" },
  { name: "spendB", state: "a second key of the account of spendA" },
  { name: "spendAdmin", state: "administers the account of spendA and spendB" },
  { name: "load", state: "an ordinary key with limits above the load" },
];
