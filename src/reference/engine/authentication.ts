import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Identification } from "./admission.ts";
import { type AccountRecord, type KeyRecord, type KeyState, keyStateAt, type Scope } from "./keys/key-record.ts";
import type { KeyStore } from "./keys/key-store.ts";
import type { Refusal, RefusalCode } from "./refusal.ts";

/**
 * Reads `Bearer <key>`: the word as written here, one space, a key without spaces (spec, Authentication, 1). Unknown and
 * revoked keys get the same answer, so that nobody learns which exist.
 */
export function identifyKey(keys: KeyStore, authorization: string | undefined, nowMs: number): Identification {
  if (authorization === undefined) return refused("missing_api_key", "No API key was sent.");
  const secret = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (secret === undefined)
    return refused("malformed_authorization", "The Authorization header must read: Bearer, a space, the key.");
  const key = keys.bySecret(secret);
  const state: KeyState = key === undefined ? "revoked" : keyStateAt(key, nowMs);
  if (key !== undefined && state === "active") return { kind: "known", key };
  return state === "expired"
    ? refused("expired_api_key", "The API key has expired.")
    : refused("invalid_api_key", "The API key is not valid.");
}

function refused(code: RefusalCode, message: string): Identification {
  return { kind: "refused", refusal: { status: 401, code, message } };
}

/** Payment before scope: an account that may not buy learns nothing else. */
export function authorizeKey(key: KeyRecord, account: AccountRecord, endpoint: EndpointId): Refusal | null {
  if (account.standing !== "good") {
    const why = account.standing === "past-due" ? "The subscription is past due." : "The credit of the account is used up.";
    return { status: 402, code: "payment_required", message: why };
  }
  if (acceptedScopes[endpoint].some((scope) => key.scopes.includes(scope))) return null;
  return { status: 403, code: "insufficient_scope", message: "The API key lacks a scope that this endpoint needs." };
}

/**
 * Scopes of which a key needs one. Reading and listing take `read`, inference `write`; settings are for `admin`, agents for
 * `agent:write` and `admin` (spec, Authentication, 5; which scope the rest needs is open, reading AMB-21).
 */
const acceptedScopes: Readonly<Record<EndpointId, readonly Scope[]>> = {
  chat: ["write", "admin"],
  embeddings: ["write", "admin"],
  images: ["write", "admin"],
  transcriptions: ["write", "admin"],
  models: ["read", "write", "agent:write", "admin"],
  usage: ["read", "write", "admin"],
  "key-settings": ["admin"],
  "account-settings": ["admin"],
  agents: ["agent:write", "admin"],
  workspaces: ["read", "write", "admin"],
  verify: ["read", "write", "agent:write", "admin"],
};
