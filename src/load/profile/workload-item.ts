import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ChatEntry, EmbeddingsEntry, TranscriptionsEntry, WorkloadFile } from "./file/workload-file.ts";
import type { LengthDistribution } from "./length-distribution.ts";

/** An entry of the workload with every default filled in; its members are described where they are written (file/workload-file.ts). */
export type WorkloadItem =
  | Required<Exclude<WorkloadFile, ChatEntry | EmbeddingsEntry | TranscriptionsEntry>>
  | ChatItem
  | (Prompted<EmbeddingsEntry, "inputTokens" | "batch"> & {
      readonly inputTokens: LengthDistribution;
      readonly batch: LengthDistribution;
    })
  | (Required<Omit<TranscriptionsEntry, "audioSeconds">> & { readonly audioSeconds: LengthDistribution });

type ChatItem = Prompted<ChatEntry, "promptTokens" | "outputTokens" | "sessionHeader" | "leave"> &
  Pick<ChatEntry, "sessionHeader" | "leave"> & {
    readonly promptTokens: LengthDistribution;
    readonly outputTokens: LengthDistribution;
    /** Tokens that the template adds to a prompt; filled in where they were learned. */
    readonly templateTokens?: number;
  };

/** An entry whose texts may come from rows; `Own` are the members that it states itself. */
type Prompted<Entry, Own extends keyof Entry> = Required<Omit<Entry, Own | "prompts" | "tokenizerFile">> & {
  /** Those of `promptsFile` when the profile is loaded. */
  readonly prompts: readonly PromptRow[] | null;
  readonly tokenizerFile?: string;
  /** Words that are one token each by `tokenizerFile`, filled in when the profile is loaded; absent: the common ones. */
  readonly words?: readonly string[];
};

/** One row of a dataset. */
export interface PromptRow {
  readonly messages: readonly ChatMessage[];
  /** Instead of `outputTokens`. */
  readonly maxTokens: number | null;
  /** Further members of the body that the row states. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Endpoints that a workload can hold. */
export type WorkloadEndpoint = Extract<EndpointId, WorkloadItem["endpoint"]>;
