import { isJsonObject } from "./recorded-json.ts";

/** Tokens that a response reports for itself (`usage`); members that are no non-negative integers, or larger than any sum can bear, are null. */
export interface TokenUsage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly totalTokens: number | null;
}

/** `usage` of a response object or stream chunk; null when there is none. */
export function readTokenUsage(value: unknown): TokenUsage | null {
  if (!isJsonObject(value) || !isJsonObject(value["usage"])) return null;
  const usage = value["usage"];
  return {
    promptTokens: count(usage["prompt_tokens"]),
    completionTokens: count(usage["completion_tokens"]),
    totalTokens: count(usage["total_tokens"]),
  };
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
