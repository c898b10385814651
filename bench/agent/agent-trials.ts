/** One defect, and what a reader has to learn of it: the words of its description, the path of its place. Its rules are `violates`. */
export interface AgentTrial {
  readonly mutant: string;
  /** The member or the header field, as the title of the mutant spells it. */
  readonly member: string;
  readonly place: string;
}

const models = "/v1/models";
const chat = "/v1/chat/completions";
const embeddings = "/v1/embeddings";
const images = "/v1/images/generations";
const usage = "/v1/usage";

const rows: readonly (readonly [mutant: string, member: string, place: string])[] = [
  ["models/object-wrong", "object", models],
  ["models/object-absent", "object", models],
  ["models/data-map", "data", models],
  ["models/entry-object-wrong", "object", models],
  ["models/created-ms", "created", models],
  ["models/created-iso", "created", models],
  ["models/created-zero", "created", models],
  ["models/owner-absent", "owned_by", models],
  ["models/owner-null", "owned_by", models],
  ["chat/id-absent", "id", chat],
  ["chat/object-wrong", "object", chat],
  ["chat/created-text", "created", chat],
  ["chat/created-fraction", "created", chat],
  ["chat/created-ms", "created", chat],
  ["chat/created-zero", "created", chat],
  ["chat/model-absent", "model", chat],
  ["chat/choices-object", "choices", chat],
  ["chat/choices-empty", "choices", chat],
  ["chat/choice-index-text", "index", chat],
  ["chat/choice-index-from-one", "index", chat],
  ["chat/message-role-model", "role", chat],
  ["chat/content-null", "content", chat],
  ["chat/content-parts", "content", chat],
  ["chat/content-absent", "content", chat],
  ["chat/finish-reason-null", "finish_reason", chat],
  ["chat/finish-reason-absent", "finish_reason", chat],
  ["chat/usage-absent", "usage", chat],
  ["chat/usage-null", "usage", chat],
  ["chat/usage-prompt-text", "prompt_tokens", chat],
  ["chat/usage-completion-null", "completion_tokens", chat],
  ["chat/usage-completion-negative", "completion_tokens", chat],
  ["chat/usage-total-absent", "total_tokens", chat],
  ["chat/usage-total-wrong", "total_tokens", chat],
  ["chat/temperature-unchecked", "temperature", chat],
  ["chat/role-unchecked", "role", chat],
  ["chat/effort-unchecked", "reasoning_effort", chat],
  ["chat/model-optional", "model", chat],
  ["chat/messages-optional", "messages", chat],
  ["chat/top-p-refused", "top_p", chat],
  ["chat/max-tokens-refused", "max_tokens", chat],
  ["embeddings/encoding-unchecked", "encoding_format", embeddings],
  ["embeddings/input-optional", "input", embeddings],
  ["embeddings/index-text", "index", embeddings],
  ["embeddings/index-absent", "index", embeddings],
  ["embeddings/object-wrong", "object", embeddings],
  ["embeddings/data-object", "data", embeddings],
  ["embeddings/usage-absent", "usage", embeddings],
  ["embeddings/usage-total-absent", "total_tokens", embeddings],
  ["images/prompt-optional", "prompt", images],
  ["images/size-unchecked", "size", images],
  ["images/quality-unchecked", "quality", images],
  ["images/created-absent", "created", images],
  ["images/created-text", "created", images],
  ["images/revised-prompt-absent", "revised_prompt", images],
  ["usage/cost-as-string", "cost_usd", usage],
  ["usage/aggregate-absent", "aggregate", usage],
  ["headers/limit-requests-absent", "x-ratelimit-limit-requests", "/v1/"],
  ["headers/reset-tokens-absent", "x-ratelimit-reset-tokens", "/v1/"],
];

export const agentTrials: readonly AgentTrial[] = rows.map(([mutant, member, place]) => ({ mutant, member, place }));
