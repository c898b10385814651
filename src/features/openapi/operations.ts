import type { EndpointId } from "../../core/exchange/endpoint.ts";

/** The statement of the specification about one operation, beside its method and path. */
export interface Operation {
  readonly summary: string;
  readonly tag: "inference" | "models" | "usage" | "settings" | "other";
  /** Heading path in the specification. */
  readonly section: string;
  /** Members of `schemas/wire/<schema>.request.json` that the specification lists; null: it shows no request. */
  readonly request: {
    readonly schema: string;
    readonly in: "json" | "multipart" | "query";
    readonly members: readonly string[];
    readonly defaults?: Readonly<Record<string, string | number | boolean>>;
  } | null;
  /** Names of `schemas/wire/<name>.response.json` for a success; empty: the specification shows no shape. */
  readonly responses: readonly string[];
  readonly streams?: boolean;
}

const onlyNamed = {
  tag: "other",
  section: "Endpoints > Other paths that are mentioned",
  request: null,
  responses: [],
} as const;

export const operations: Readonly<Record<EndpointId, Operation>> = {
  chat: {
    summary: "Create a model response for a conversation",
    tag: "inference",
    section: "Endpoints > POST /v1/chat/completions",
    request: {
      schema: "chat",
      in: "json",
      members: ["model", "messages", "stream", "tools", "temperature", "top_p", "max_tokens", "reasoning_effort"],
      defaults: { stream: false, temperature: 1, top_p: 1, reasoning_effort: "medium" },
    },
    responses: ["chat-completion", "chat-completion-with-tools"],
    streams: true,
  },
  embeddings: {
    summary: "Create embedding vectors for text",
    tag: "inference",
    section: "Endpoints > POST /v1/embeddings",
    request: {
      schema: "embeddings",
      in: "json",
      members: ["input", "model", "encoding_format", "dimensions"],
      defaults: { encoding_format: "float" },
    },
    responses: ["embedding-list-float", "embedding-list-base64"],
  },
  images: {
    summary: "Generate images from a text prompt",
    tag: "inference",
    section: "Endpoints > POST /v1/images/generations",
    request: {
      schema: "images",
      in: "json",
      members: ["prompt", "n", "size", "quality"],
      defaults: { n: 1, size: "1024x1024", quality: "standard" },
    },
    responses: ["image-result"],
  },
  transcriptions: {
    summary: "Transcribe uploaded audio into text",
    tag: "inference",
    section: "Endpoints > POST /v1/audio/transcriptions",
    request: { schema: "transcriptions", in: "multipart", members: ["file", "model", "language"] },
    responses: ["transcription"],
  },
  models: {
    summary: "List the available models",
    tag: "models",
    section: "Endpoints > GET /v1/models",
    request: null,
    responses: ["model-list"],
  },
  usage: {
    summary: "Report token usage and cost for a window of time",
    tag: "usage",
    section: "Endpoints > GET /v1/usage",
    request: { schema: "usage", in: "query", members: ["from", "to", "granularity"], defaults: { granularity: "day" } },
    responses: ["usage-report"],
  },
  "key-settings": {
    summary: "Set the caps and the cooldown of a key",
    tag: "settings",
    section: "Endpoints > PATCH /v1/keys/{key_id}",
    request: { schema: "key-settings", in: "json", members: ["monthly_spend_cap", "burst_limit", "cooldown_seconds"] },
    responses: [],
  },
  "account-settings": {
    summary: "Set the monthly ceiling of the account",
    tag: "settings",
    section: "Endpoints > PATCH /v1/account",
    request: { schema: "account-settings", in: "json", members: ["account_spend_cap"] },
    responses: [],
  },
  agents: { summary: "Named as an endpoint that needs the scope to write; nothing else is shown", ...onlyNamed },
  workspaces: { summary: "Named as a listing of workspaces; nothing else is shown", ...onlyNamed },
  verify: { summary: "Named in an example of authentication; nothing else is shown", ...onlyNamed },
};
