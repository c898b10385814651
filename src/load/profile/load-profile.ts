import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ProfileContent, RepeatPlace } from "../../core/result/load-result.ts";
import type { Gate } from "./gate.ts";

/** A load profile as the engine takes it: every default filled in (schemas/profile.schema.json describes the file). */
export interface LoadProfile {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly arrivals: Arrivals;
  /** Length of the measured window. Bursts and traces may be over earlier; searches and ramps take as long as their rates do. */
  readonly durationSeconds: number;
  /** Sent like the rest, and not waited for before the measured window; excluded from every distribution. */
  readonly warmUpSeconds: number;
  readonly workload: readonly WorkloadItem[];
  /** Name of the key in the manifest; `load` means `primary` where the manifest has no key of that name. */
  readonly key: string;
  readonly engine: "assay" | "autocannon";
  /** Threads that send it; `auto`: as many as the plan needs by the calibration. */
  readonly workers: number | "auto";
  readonly timeoutSeconds: number;
  /** Sends beyond this many at once are recorded as not sent: the generator must not queue in secret. */
  readonly maxInFlight: number;
  readonly retry: RetryPolicy;
  /** A request is good when its answer is whole and meets every bound that is set. */
  readonly slo: ServiceLevel;
  readonly gates: readonly Gate[];
  readonly abort: AbortPolicy;
  /** Before the load the same prompts are asked again beside fresh ones: a cache of responses shows. */
  readonly cacheAudit: boolean;
  readonly needs: readonly ProfileNeed[];
  /** Which limit the profile is about, null for none: what is watched and waited for follows from it (limit-scenarios.ts). */
  readonly limitScenario: LimitScenario | null;
  /** Of a profile that is sent several times; absent: once. */
  readonly repeat?: RepeatPlace;
  /** Identifies what is sent; filled in when the profile is loaded with its files. */
  readonly content?: ProfileContent;
}

/** A limit that a profile is about. */
export type LimitScenario = "request-limit" | "cooldown" | "spend-cap";

/** The permissions that the manifest must give before the profile may run. */
export type ProfileNeed = "exhaustLimits" | "patchSettings" | "spend";

export interface RetryPolicy {
  /** Attempts after the first; 0 sends nothing twice. */
  readonly max: number;
  /**
   * `obey`: no send with this key before the promised instant, planned sends in that time are recorded as not sent.
   * `ignore`: the schedule goes on, for profiles that are about disobeying.
   */
  readonly retryAfter: "obey" | "ignore";
}

export interface ServiceLevel {
  readonly ttftMs: number | null;
  readonly tpotMs: number | null;
  readonly userLatencyMs: number | null;
}

export interface AbortPolicy {
  /** Share of errors (not rejects) among the answers of the last `windowSeconds` that ends the profile. */
  readonly errorRate: number;
  readonly windowSeconds: number;
  /** Answers in the window before the share counts. */
  readonly minimum: number;
  /** End as soon as a gate cannot be met any more. */
  readonly hopeless: boolean;
}

/** How gaps between sends are drawn where a rate is given. */
export type Gaps = "even" | "poisson";

/** Requests that are sent together. */
export interface Burst {
  /** Seconds from the beginning of the profile. */
  readonly at: number;
  /** A number, or relative to the declared request limit or to `burst_limit` of the key: `limit-1`, `burst+1`, `2*limit+1`. */
  readonly size: number | string;
}

export type Arrivals =
  | { readonly kind: "constant"; readonly ratePerSecond: number }
  | { readonly kind: "poisson"; readonly ratePerSecond: number }
  /** Gamma gaps with this shape: 1 is Poisson, below 1 burstier (coefficient of variation 1/sqrt(shape)). */
  | { readonly kind: "gamma"; readonly ratePerSecond: number; readonly shape: number }
  | { readonly kind: "ramp"; readonly fromPerSecond: number; readonly toPerSecond: number; readonly gaps: Gaps }
  | {
      readonly kind: "steps";
      readonly steps: readonly { readonly ratePerSecond: number; readonly seconds: number }[];
      readonly gaps: Gaps;
    }
  | {
      readonly kind: "spike";
      readonly basePerSecond: number;
      readonly peakPerSecond: number;
      readonly atSeconds: number;
      readonly forSeconds: number;
      readonly gaps: Gaps;
    }
  /** `size` requests at one instant (or over `spreadMs`, unless it is one alone), then silence until the next burst. */
  | {
      readonly kind: "bursts";
      /** In the order of their instants. */
      readonly bursts: readonly Burst[];
      readonly spreadMs: number;
      /** One request so long before, and one so long after, the minute that began with the last burst is over; null: none. */
      readonly edgeMs: number | null;
    }
  | {
      readonly kind: "closed";
      readonly concurrency: number;
      readonly thinkMs: number;
      /** Over how long the requests of the loop begin; a fortieth of its length, half a second at most, unless it is given. */
      readonly rampSeconds?: number;
    }
  /** Rising rates; stops after the first rate that misses the service level twice in a row. */
  | { readonly kind: "sweep"; readonly ratesPerSecond: readonly number[]; readonly secondsPerRate: number; readonly gaps: Gaps }
  /** Halves the interval between a rate that met the service level and one that did not. */
  | {
      readonly kind: "bisect";
      readonly lowPerSecond: number;
      readonly highPerSecond: number;
      readonly secondsPerProbe: number;
      readonly maxProbes: number;
      readonly gaps: Gaps;
    }
  /** Looks for the highest level at which the gates, or the service level, hold. */
  | {
      readonly kind: "capacity-search";
      readonly of: "rate" | "concurrency";
      readonly from: number;
      readonly to: number;
      /** The search ends when its 95 % interval reaches this far to each side of the level, as a fraction of it. */
      readonly precision: number;
      readonly maxRequests: number;
      readonly maxSeconds: number;
      /** Of one trial. */
      readonly leastRequests: number;
      readonly leastSeconds: number;
    }
  /** Rising numbers of requests in flight, all of them. */
  | { readonly kind: "concurrency-sweep"; readonly concurrencies: readonly number[]; readonly secondsPerLevel: number }
  | {
      readonly kind: "trace";
      readonly file: string;
      readonly format: TraceFormat;
      readonly speed: number;
      /** Tokens of a block that an id of a Mooncake trace stands for; 512 unless it is given. */
      readonly blockTokens?: number;
      /** Unit of the times of a Mooncake trace; milliseconds unless it is given. */
      readonly timeUnit?: "ms" | "s";
      /** Filled in when the profile is loaded. */
      readonly rows?: TraceRows;
    }
  /** Conversations arrive by Poisson; each turn is sent `thinkSeconds` after the answer to the one before. */
  | {
      readonly kind: "sessions";
      readonly ratePerSecond: number;
      readonly turns: LengthDistribution;
      readonly thinkSeconds: LengthDistribution;
    };

export type TraceFormat = "jsonl" | "mooncake" | "azure" | "burstgpt";

export interface TraceRows {
  /** Requests of the file. */
  readonly total: number;
  /** Those that fall due after the end. */
  readonly leftOut: number;
  /** Conversations that rows belong to; absent: none. */
  readonly conversations?: number;
  /** Rows with a length of 0 tokens, which no request can have: 1 is sent. */
  readonly raised?: number;
  /** Models that the file names and the workload has no entries for. */
  readonly merged?: readonly string[];
}

/** Lengths in tokens (or seconds, or items); samples are clamped to [min, max]. */
export type LengthDistribution =
  | { readonly kind: "fixed"; readonly value: number }
  | {
      readonly kind: "normal";
      readonly mean: number;
      readonly standardDeviation: number;
      readonly min: number;
      readonly max: number;
    }
  | { readonly kind: "lognormal"; readonly median: number; readonly sigma: number; readonly min: number; readonly max: number }
  | { readonly kind: "empirical"; readonly values: readonly number[]; readonly weights: readonly number[] | null };

export type WorkloadItem = { readonly label: string; readonly weight: number } & (
  | ChatWorkload
  | {
      readonly endpoint: "embeddings";
      readonly inputTokens: LengthDistribution;
      readonly batch: LengthDistribution;
      readonly encodingFormat: "float" | "base64";
      /** In place of the embedding model of the manifest. */
      readonly model: string | null;
      /** Further members of the body, sent as they are. */
      readonly body: Readonly<Record<string, unknown>>;
      /** Texts by turns from these rows instead of generated words. */
      readonly prompts: readonly PromptRow[] | null;
      readonly promptsFile: string | null;
      readonly uniqueBeginnings: boolean;
    }
  | {
      readonly endpoint: "images";
      readonly n: number;
      readonly size: "1024x1024" | "1792x1024" | "1024x1792";
      readonly quality: "standard" | "hd";
    }
  | { readonly endpoint: "transcriptions"; readonly audioSeconds: LengthDistribution }
  | { readonly endpoint: "models" }
  | { readonly endpoint: "usage"; readonly windowHours: number; readonly granularity: "hour" | "day" | "month" }
  /** PATCH while load is on: writes the values that `restore` of the manifest holds, so nothing is left changed. */
  | { readonly endpoint: "key-settings" }
);

export interface ChatWorkload {
  readonly endpoint: "chat";
  readonly stream: boolean;
  readonly promptTokens: LengthDistribution;
  /** `promptTokens` is what `usage` of the target counts: what its template adds is learned before the load. */
  readonly exactPrompts: boolean;
  /** Tokens that the template adds to a prompt; filled in where they were learned. */
  readonly templateTokens?: number;
  readonly outputTokens: LengthDistribution;
  /** Tokens that all prompts begin with; the rest begins uniquely. 0: unique from the first word. */
  readonly sharedPrefixTokens: number;
  readonly tools: boolean;
  /** In place of the chat model of the manifest. */
  readonly model: string | null;
  /** Further members of the body, sent as they are. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Prompts by turns from these rows instead of generated words. */
  readonly prompts: readonly PromptRow[] | null;
  /** JSON lines beside the profile; fills `prompts` when the profile is loaded. */
  readonly promptsFile: string | null;
  /** Whether each send of a row begins with words of its own, as generated prompts do: a prefix cache flatters otherwise. */
  readonly uniqueBeginnings: boolean;
  /** Name of a header with a value of its own for each conversation, and for each request that belongs to none; absent: there is none. */
  readonly sessionHeader?: string;
  /** Absent: every client waits for the end of its answer. */
  readonly leave?: LeavePolicy;
}

/** Clients that go away before their answer has ended, as users do who stop it. */
export interface LeavePolicy {
  /** Share of the requests. */
  readonly share: number;
  readonly after: LeaveAfter;
}

/** With the response head, once so many events of the stream have come, or so long after sending. */
export type LeaveAfter = "head" | { readonly events: number } | { readonly seconds: number };

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

/** A prompt as a row of blocks: where two prompts have the same ids, they have the same text. */
export interface PromptBlocks {
  /** Names: numbers of published traces exceed what a number here holds exactly. */
  readonly ids: readonly string[];
  /** Tokens of a whole block; the last one may be cut. */
  readonly tokens: number;
}

/** One request of the schedule. */
export interface PlannedSend {
  /** From the start of the profile, warm-up included. */
  readonly atMs: number;
  /** Conversation that it belongs to; later turns are sent after the answer, not by the clock. */
  readonly session: number | null;
  readonly turns: number;
  /** Lengths from a trace, else drawn from the workload. */
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  /** The blocks of the prompt by a trace; absent if the prompt is drawn. */
  readonly blocks?: PromptBlocks;
  /** The prompt itself, by a trace that holds it. */
  readonly messages?: readonly ChatMessage[];
  /** Entry of the workload that it becomes; absent: drawn by weight. */
  readonly label?: string;
  /** A later turn of a trace: it waits so long after the answer to the one before, and for its own instant. */
  readonly afterMs?: number;
  /** The turns after this one by a trace, as many as `turns` says; absent: they are drawn like this one. */
  readonly later?: readonly PlannedSend[];
  /** Of a conversation, from 1; absent: it is no turn of one. */
  readonly turn?: number;
  /** Step of the arrivals (burst, rate step, spike phase) for tables by step. */
  readonly step: number;
}
