/** By `usage.prompt_tokens_details.cached_tokens` of the answers of the measured window. */
export interface CacheCount extends CachedTokens {
  /** By turn of conversations, the first ones; empty where there are none. */
  readonly turns: readonly (CachedTokens & { readonly turn: number })[];
  /** Conversations with a turn after the first, and those of them that a cache served in every such turn; null where there are none. */
  readonly sessions: { readonly count: number; readonly hit: number; readonly hitAlways: number } | null;
}

export interface CachedTokens {
  /** Answers that report both numbers. */
  readonly requests: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

/** Whether a target answers a prompt that it has answered before from a cache of responses. */
export interface CacheAudit {
  /** `unclear`: too few of the requests were answered. */
  readonly verdict: "cached" | "not-cached" | "unclear";
  /** The signs of it, in words. */
  readonly signs: readonly string[];
  /** Requests of fresh prompts and repeated ones that were answered, and the median time of each in milliseconds. */
  readonly fresh: { readonly requests: number; readonly medianMs: number | null };
  readonly repeated: { readonly requests: number; readonly medianMs: number | null };
}
