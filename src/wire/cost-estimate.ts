import { endpoints } from "../core/endpoint.ts";
import type { Prices } from "../core/manifest.ts";
import type { MultipartPart, SendRequest } from "../core/send-request.ts";
import type { TokenUsage } from "../core/token-usage.ts";
import { isJsonObject } from "../core/recorded-json.ts";

/** Completion tokens that are assumed where a chat request sets no `max_tokens`: the specification states no maximum. */
const assumedCompletionTokens = 4096;

/** Compressed speech is hardly ever below this rate, so it bounds the length of audio from its size. */
const leastAudioBytesPerSecond = 1000;

/**
 * The most that a request may cost, from its body: tokenizers make at most one token of a byte of text, and images and
 * audio have prices by piece and by minute.
 */
export function estimateWorstCase(request: SendRequest, prices: Prices): { readonly tokens: number; readonly costUsd: number } {
  if (request.endpoint === null || !endpoints[request.endpoint].billable) return { tokens: 0, costUsd: 0 };
  const { body } = request;
  if (request.endpoint === "transcriptions") {
    const bytes = body?.kind === "multipart" ? body.parts.reduce((sum, part) => sum + partBytes(part), 0) : 0;
    return { tokens: 0, costUsd: (bytes / leastAudioBytesPerSecond / 60) * prices.perAudioMinute };
  }
  const json = bodyObject(request);
  if (request.endpoint === "images") return { tokens: 0, costUsd: positiveOr(json["n"], 1) * prices.perImage };
  const promptTokens = Buffer.byteLength(JSON.stringify(json["messages"] ?? json["input"] ?? ""));
  const completionTokens = request.endpoint === "chat" ? positiveOr(json["max_tokens"], assumedCompletionTokens) : 0;
  const usage = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
  return { tokens: usage.totalTokens, costUsd: priceUsage(usage, prices) };
}

export function priceUsage(usage: TokenUsage, prices: Prices): number {
  const prompt = (usage.promptTokens ?? 0) * prices.perMillionPromptTokens;
  return (prompt + (usage.completionTokens ?? 0) * prices.perMillionCompletionTokens) / 1e6;
}

function bodyObject(request: SendRequest): Readonly<Record<string, unknown>> {
  const { body } = request;
  if (body?.kind === "json") return isJsonObject(body.value) ? body.value : {};
  if (body?.kind !== "raw") return {};
  try {
    const value: unknown = JSON.parse(typeof body.bytes === "string" ? body.bytes : Buffer.from(body.bytes).toString());
    return isJsonObject(value) ? value : {};
  } catch {
    // What no JSON parser reads costs nothing.
    return { max_tokens: 0 };
  }
}

function partBytes(part: MultipartPart): number {
  return typeof part.value === "string" ? Buffer.byteLength(part.value) : part.value.byteLength;
}

function positiveOr(value: unknown, fallback: number): number {
  return typeof value === "number" && value >= 0 ? value : fallback;
}
