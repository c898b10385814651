import { isJsonObject } from "./recorded-json.ts";
import { tokenCount } from "./token-count.ts";

/** Tokens as they are priced. */
export type BilledTokens = Omit<TokenUsage, "reasoningTokens" | "cachedTokens">;

/** Tokens that a response reports for itself (`usage`); members that are no non-negative integers, or larger than any sum can bear, are null. */
export interface TokenUsage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly totalTokens: number | null;
  /** Those of the completion that were thought; a target may keep them to itself. */
  readonly reasoningTokens: number | null;
  /** Those of the prompt that a cache held; null: the target does not say, or says more than the prompt has. */
  readonly cachedTokens: number | null;
}

/** `usage` of a response object or stream chunk; null when there is none. */
export function readTokenUsage(value: unknown): TokenUsage | null {
  if (!isJsonObject(value) || !isJsonObject(value["usage"])) return null;
  const usage = value["usage"];
  const details = usage["completion_tokens_details"];
  const promptTokens = tokenCount(usage["prompt_tokens"]);
  const cached = cachedIn(usage);
  return {
    promptTokens,
    completionTokens: tokenCount(usage["completion_tokens"]),
    totalTokens: tokenCount(usage["total_tokens"]),
    reasoningTokens: tokenCount(isJsonObject(details) ? details["reasoning_tokens"] : null),
    cachedTokens: cached !== null && promptTokens !== null && cached <= promptTokens ? cached : null,
  };
}

/**
 * The specification names no such member. That of the convention comes first, then those of widely used services and of gateways before
 * them: DeepSeek and vLLM forks, Anthropic, Moonshot.
 */
const topLevelSpellings = ["prompt_cache_hit_tokens", "cache_read_input_tokens", "cached_tokens"] as const;

function cachedIn(usage: Readonly<Record<string, unknown>>): number | null {
  const details = usage["prompt_tokens_details"];
  const values = [
    isJsonObject(details) ? details["cached_tokens"] : null,
    ...topLevelSpellings.map((spelling) => usage[spelling]),
  ];
  return values.map(tokenCount).find((count) => count !== null) ?? null;
}
