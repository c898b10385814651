import type { Prices } from "./manifest.ts";
import { endpoints } from "./exchange/endpoint.ts";
import { tryJson, isJsonObject } from "./exchange/bodies/recorded-json.ts";
import type { SendRequest } from "./exchange/send-request.ts";
import type { BilledTokens } from "./exchange/bodies/token-usage.ts";

/** Completion tokens that are assumed where a chat request sets no `max_tokens`: the specification states no maximum. */
const assumedCompletionTokens = 4096;

/** Compressed speech is hardly ever below this rate, so it bounds the length of audio from its size. */
const leastAudioBytesPerSecond = 1000;

/** Tokens that a target may put around the texts: marks of roles, a system text of its own, the opening of the answer. */
const framingTokens = 128;
/** Templates explain to the model how tools are called. */
const toolFramingTokens = 256;

/** The most that one request can cost. */
export interface WorstCase {
  readonly tokens: number;
  readonly costUsd: number;
}

/**
 * The most prompt tokens that so many bytes of JSON can become: no byte-level tokenizer makes more than one token of a byte of
 * UTF-8, and JSON is never shorter than the texts in it. The members around each message cover the marks around it.
 */
export function mostPromptTokens(jsonBytes: number, hasTools: boolean): number {
  return jsonBytes + framingTokens + (hasTools ? toolFramingTokens : 0);
}

export function worstTextCost(promptTokens: number, completionTokens: number, prices: Prices): WorstCase {
  const usage = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
  return { tokens: usage.totalTokens, costUsd: priceUsage(usage, prices) };
}

/** The most that a request may cost, from its body: texts by their bytes, images and audio by piece and by minute. */
export function estimateWorstCase(request: SendRequest, prices: Prices): WorstCase {
  const nothing = { tokens: 0, costUsd: 0 };
  if (request.endpoint === null || !endpoints[request.endpoint].billable) return nothing;
  const { body } = request;
  if (request.endpoint === "transcriptions") {
    const bytes = body?.kind === "multipart" ? body.parts.reduce((sum, part) => sum + bytesOf(part.value), 0) : 0;
    return { tokens: 0, costUsd: (bytes / leastAudioBytesPerSecond / 60) * prices.perAudioMinute };
  }
  const json = bodyObject(request);
  // A body that no JSON parser reads costs nothing.
  if (json === null) return nothing;
  if (request.endpoint === "images") return { tokens: 0, costUsd: positiveOr(json["n"], 1) * prices.perImage };
  const { messages, input, tools } = json;
  const promptTokens = mostPromptTokens(bytesOf(JSON.stringify({ messages, input, tools })), tools !== undefined);
  const completionTokens = request.endpoint === "chat" ? positiveOr(json["max_tokens"], assumedCompletionTokens) : 0;
  return worstTextCost(promptTokens, completionTokens, prices);
}

export function priceUsage(usage: BilledTokens, prices: Prices): number {
  const prompt = (usage.promptTokens ?? 0) * prices.perMillionPromptTokens;
  return (prompt + (usage.completionTokens ?? 0) * prices.perMillionCompletionTokens) / 1e6;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function bytesOf(value: string | Uint8Array): number {
  return typeof value === "string" ? encoder.encode(value).byteLength : value.byteLength;
}

/** Null for what no JSON parser reads. */
function bodyObject({ body }: SendRequest): Readonly<Record<string, unknown>> | null {
  if (body?.kind === "json") return isJsonObject(body.value) ? body.value : {};
  if (body?.kind !== "raw") return {};
  const value = tryJson(typeof body.bytes === "string" ? body.bytes : decoder.decode(body.bytes));
  if (value === undefined) return null;
  return isJsonObject(value) ? value : {};
}

function positiveOr(value: unknown, fallback: number): number {
  return typeof value === "number" && value >= 0 ? value : fallback;
}
