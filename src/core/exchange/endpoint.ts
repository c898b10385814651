/** The operations that the specification names (sections "Endpoints" and "Other paths that are mentioned"). */
export type EndpointId =
  | "chat"
  | "embeddings"
  | "images"
  | "transcriptions"
  | "models"
  | "usage"
  | "key-settings"
  | "account-settings"
  | "agents"
  | "workspaces"
  | "verify";

export type SpecifiedEndpoint = Exclude<EndpointId, "agents" | "workspaces" | "verify">;

/** The eight operations of section "Endpoints". */
export const specifiedEndpoints: readonly SpecifiedEndpoint[] = [
  "chat",
  "embeddings",
  "images",
  "transcriptions",
  "models",
  "usage",
  "key-settings",
  "account-settings",
];

export interface Endpoint {
  readonly method: "GET" | "POST" | "PATCH";
  /** Path template below the base URL. */
  readonly path: string;
  /** Whether a successful call adds to the cost ledger. */
  readonly billable: boolean;
}

export const endpoints: Readonly<Record<EndpointId, Endpoint>> = {
  chat: { method: "POST", path: "/v1/chat/completions", billable: true },
  embeddings: { method: "POST", path: "/v1/embeddings", billable: true },
  images: { method: "POST", path: "/v1/images/generations", billable: true },
  transcriptions: { method: "POST", path: "/v1/audio/transcriptions", billable: true },
  models: { method: "GET", path: "/v1/models", billable: false },
  usage: { method: "GET", path: "/v1/usage", billable: false },
  "key-settings": { method: "PATCH", path: "/v1/keys/{key_id}", billable: false },
  "account-settings": { method: "PATCH", path: "/v1/account", billable: false },
  agents: { method: "POST", path: "/v1/agents", billable: false },
  workspaces: { method: "GET", path: "/v1/workspaces", billable: false },
  verify: { method: "GET", path: "/v1/verify", billable: false },
};
