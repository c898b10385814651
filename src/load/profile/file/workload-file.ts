import type { Length } from "./length.ts";

/**
 * One kind of request.
 * @discriminator endpoint
 */
export type WorkloadFile =
  | ChatEntry
  | EmbeddingsEntry
  | ImagesEntry
  | TranscriptionsEntry
  | ModelsEntry
  | UsageEntry
  | KeySettingsEntry;

// The schema, and with it each message and page, lists the members of the last interface that an entry extends first.

/** Members of every entry. */
interface AnyEntry {
  /**
   * name of this kind in reports
   * @pattern ^[a-z0-9][a-z0-9 -]*$
   */
  readonly label?: string;
  /**
   * how often it is chosen, relative to the others
   * @exclusiveMinimum 0
   */
  readonly weight?: number;
}

/** Members of an entry whose texts may come from rows. */
interface Prompts {
  /**
   * rows to send: texts, or objects with prompt or messages, and max_tokens
   * @minItems 1
   */
  readonly prompts?: readonly Text[] | null;
  /**
   * path of a file of rows, relative to the profile: JSON lines, a JSON list, ShareGPT, or an OpenAI batch
   * @minLength 1
   */
  readonly promptsFile?: string | null;
  /**
   * path of a tokenizer.json, relative to the profile, for exact lengths
   * @minLength 1
   */
  readonly tokenizerFile?: string;
  /** true: each prompt begins with words of its own, so that no prefix cache answers it */
  readonly uniqueBeginnings?: boolean;
  /**
   * model of these requests, in place of that of the manifest
   * @minLength 1
   */
  readonly model?: string | null;
}

/** @minLength 1 */
type Text = string;

/** POST /v1/chat/completions. */
export interface ChatEntry extends Prompts, ChatMembers, AnyEntry {
  readonly endpoint: "chat";
}

interface ChatMembers {
  /** true: a streamed answer */
  readonly stream?: boolean;
  /** length of the prompt in words, which are one token each: a length */
  readonly promptTokens?: Length;
  /** max_tokens of the request: a length */
  readonly outputTokens?: Length;
  /**
   * words that all prompts begin with
   * @asType integer
   * @minimum 0
   */
  readonly sharedPrefixTokens?: number;
  /** true: the request offers a tool */
  readonly tools?: boolean;
  /**
   * further members of the body, sent as they are, such as ignore_eos, min_tokens or temperature; not messages, max_tokens,
   * max_completion_tokens, stream, model
   * @propertyNames {"not": {"enum": ["messages", "max_tokens", "max_completion_tokens", "stream", "model"]}}
   */
  readonly body?: Readonly<Record<string, unknown>>;
  /** true: promptTokens is what usage counts, by three short requests before the load; true with a tokenizerFile */
  readonly exactPrompts?: boolean;
  readonly leave?: LeavePolicy;
  /**
   * name of a header with a value of its own for each conversation, such as x-session-id, for routers
   * @pattern ^[A-Za-z][A-Za-z0-9_-]{0,63}$
   */
  readonly sessionHeader?: string;
}

/** POST /v1/embeddings. */
export interface EmbeddingsEntry extends Prompts, EmbeddingsMembers, AnyEntry {
  readonly endpoint: "embeddings";
}

interface EmbeddingsMembers {
  /** length of a text: a length */
  readonly inputTokens?: Length;
  /** texts in one request: a length */
  readonly batch?: Length;
  /** encoding_format of the request */
  readonly encodingFormat?: "float" | "base64";
  /**
   * further members of the body, sent as they are, such as ignore_eos, min_tokens or temperature; not input, model, encoding_format
   * @propertyNames {"not": {"enum": ["input", "model", "encoding_format"]}}
   */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** POST /v1/images/generations. */
export interface ImagesEntry extends AnyEntry {
  readonly endpoint: "images";
  /**
   * images in one request
   * @asType integer
   * @minimum 1
   */
  readonly n?: number;
  /** size of the images */
  readonly size?: "1024x1024" | "1792x1024" | "1024x1792";
  /** quality of the images */
  readonly quality?: "standard" | "hd";
}

/** POST /v1/audio/transcriptions with a generated WAVE file. */
export interface TranscriptionsEntry extends AnyEntry {
  readonly endpoint: "transcriptions";
  /** length of the generated recording: a length */
  readonly audioSeconds?: Length;
}

/** GET /v1/models. */
export interface ModelsEntry extends AnyEntry {
  readonly endpoint: "models";
}

/** GET /v1/usage over the last hours. */
export interface UsageEntry extends AnyEntry {
  readonly endpoint: "usage";
  /**
   * hours of the requested report
   * @exclusiveMinimum 0
   */
  readonly windowHours?: number;
  /** granularity of the report */
  readonly granularity?: "hour" | "day" | "month";
}

/** PATCH /v1/keys/{key_id} with the values of restore. */
export interface KeySettingsEntry extends AnyEntry {
  readonly endpoint: "key-settings";
}

/** clients that go away before their answer has ended; they are in no latency, good share or error */
export interface LeavePolicy {
  /**
   * share of the requests whose client goes
   * @exclusiveMinimum 0
   * @maximum 1
   */
  readonly share: number;
  /** with the response head, or after so many events of the stream, or seconds */
  readonly after: LeaveAfter;
}

export type LeaveAfter = "head" | LeaveAfterEvents | LeaveAfterSeconds;

interface LeaveAfterEvents {
  /**
   * @asType integer
   * @minimum 1
   */
  readonly events: number;
}

interface LeaveAfterSeconds {
  /**
   * @exclusiveMinimum 0
   * @maximum 3600
   */
  readonly seconds: number;
}
