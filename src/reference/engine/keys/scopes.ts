import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { Scope } from "./key-record.ts";

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

export function mayCall(scopes: readonly Scope[], endpoint: EndpointId): boolean {
  return acceptedScopes[endpoint].some((scope) => scopes.includes(scope));
}
