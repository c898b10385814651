import type { RecordedResponse } from "./exchange.ts";
import { isJsonObject, readRecordedJson, readStreamJson } from "./recorded-json.ts";

/** Tokens that a response reports for itself (`usage`); members that are no non-negative integers are null. */
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

/** Usage of a whole response: of its body, or of the last event of its stream that carries one. */
export function responseUsage(response: RecordedResponse | null): TokenUsage | null {
  if (!response) return null;
  if (response.stream) {
    const values = readStreamJson(response.stream);
    for (let last = values.length - 1; last >= 0; last -= 1) {
      const usage = readTokenUsage(values[last]);
      if (usage) return usage;
    }
    return null;
  }
  const json = readRecordedJson(response.body);
  return json.ok ? readTokenUsage(json.value) : null;
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}
