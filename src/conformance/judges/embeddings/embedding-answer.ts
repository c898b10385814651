import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isValidRequest } from "../../judging/is-valid-request.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../judging/json-value.ts";

/** A successful answer to a valid embeddings request, read as far as it can be read. */
export interface EmbeddingAnswer {
  readonly exchange: ExchangeFacts;
  readonly request: JsonObject;
  readonly inputs: readonly string[];
  /** The input where it was one string and not a list. */
  readonly single: string | null;
  readonly model: JsonValue | undefined;
  readonly encoding: "float" | "base64";
  /** Requested number, null when the request named none. */
  readonly dimensions: number | null;
  /** `data` of the answer, null when it is no array. */
  readonly entries: readonly JsonValue[] | null;
  readonly promptTokens: number | null;
}

/** Decoded vectors cost much more than the rest, and only those who compare answers need them. */
export interface EmbeddingVectors extends EmbeddingAnswer {
  /** By position of the input; null where no entry can be read as a vector. */
  readonly vectors: readonly (readonly number[] | null)[];
}

/** null: not a successful answer to a valid request, or one whose encoding is none of the two. */
export function readEmbeddingAnswer(exchange: ExchangeFacts): EmbeddingAnswer | null {
  return isValidRequest(exchange, "embeddings") ? readAcceptedEmbeddings(exchange) : null;
}

/** The same for a request that the target may as well refuse, as one with an empty text. */
export function readAcceptedEmbeddings(exchange: ExchangeFacts): EmbeddingAnswer | null {
  if (exchange.endpoint !== "embeddings" || !exchange.isSuccess) return null;
  const request = exchange.requestObject;
  const body = exchange.responseObject;
  if (request === null || body === null) return null;
  const inputs = readInputs(request["input"]);
  const encoding = request["encoding_format"] ?? "float";
  if (inputs === null || (encoding !== "float" && encoding !== "base64")) return null;
  const entries = Array.isArray(body["data"]) ? (body["data"] as readonly JsonValue[]) : null;
  const { dimensions } = request as { readonly dimensions?: JsonValue };
  const usage = body["usage"];
  const promptTokens = isJsonObject(usage) ? usage["prompt_tokens"] : undefined;
  return {
    exchange,
    request,
    inputs,
    single: typeof request["input"] === "string" ? request["input"] : null,
    model: request["model"],
    encoding,
    dimensions: typeof dimensions === "number" ? dimensions : null,
    entries,
    promptTokens: typeof promptTokens === "number" ? promptTokens : null,
  };
}

export function readEmbeddingAnswers(exchanges: readonly ExchangeFacts[]): readonly EmbeddingVectors[] {
  return exchanges
    .filter((exchange) => exchange.stage === "conformance")
    .map(readEmbeddingAnswer)
    .filter((answer) => answer !== null)
    .map((answer) => ({ ...answer, vectors: answer.inputs.map((_, position) => findVector(answer.entries, position)) }));
}

/** A vector in either encoding; null when the value is neither an array of finite numbers nor base64 of whole floats. */
export function readVector(value: JsonValue | undefined): readonly number[] | null {
  if (typeof value === "string") return decodeFloat32(value);
  return isNumberArray(value) ? value : null;
}

/** JSON can write numbers that are none to a reader: 1e999 is infinite. */
export function isNumberArray(value: JsonValue | undefined): value is readonly number[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const items: readonly JsonValue[] = value;
  for (let index = 0; index < items.length; index += 1) if (!Number.isFinite(items[index])) return false;
  return true;
}

/** Largest difference of two vectors, element by element; infinite when their lengths differ. */
export function largestDifference(one: readonly number[], other: readonly number[]): number {
  if (one.length !== other.length) return Number.POSITIVE_INFINITY;
  return one.reduce((largest, value, index) => Math.max(largest, Math.abs(value - (other[index] ?? 0))), 0);
}

/** Cosine of two vectors, 0 where their lengths differ; 1 also for two vectors of zeros, which have no direction but are the same. */
export function cosine(one: readonly number[], other: readonly number[]): number {
  if (one.length !== other.length) return 0;
  let [dot, left, right] = [0, 0, 0];
  for (const [index, value] of one.entries()) {
    const opposite = other[index] ?? 0;
    dot += value * opposite;
    left += value * value;
    right += opposite * opposite;
  }
  const scale = Math.sqrt(left) * Math.sqrt(right);
  return scale === 0 ? Number(left === right) : dot / scale;
}

function readInputs(value: JsonValue | undefined): readonly string[] | null {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) return null;
  return value;
}

/** The entry for one position of the input: `index` names it, and entries may stand in any order. */
export function findEntry(entries: readonly JsonValue[] | null, position: number): JsonObject | null {
  const entry = entries?.find((candidate) => isJsonObject(candidate) && candidate["index"] === position);
  return isJsonObject(entry) ? entry : null;
}

function findVector(entries: readonly JsonValue[] | null, position: number): readonly number[] | null {
  return readVector(findEntry(entries, position)?.["embedding"]);
}

/** Base64 of 32-bit floats in little-endian order; null when the text is no such thing, is empty or holds no finite numbers. */
export function decodeFloat32(text: string): readonly number[] | null {
  const binary = decodeBase64(text);
  if (binary === null || !holdsFinite(binary)) return null;
  const view = new DataView(new ArrayBuffer(binary.length));
  for (let index = 0; index < binary.length; index += 1) view.setUint8(index, binary.charCodeAt(index));
  return Array.from({ length: binary.length / 4 }, (_, index) => view.getFloat32(index * 4, true));
}

/** Whether `decodeFloat32` makes something of a text, at a fraction of its cost. */
export function isFloat32(text: string): boolean {
  const binary = decodeBase64(text);
  return binary !== null && holdsFinite(binary);
}

/**
 * The bytes of canonical base64 (RFC 4648, section 4), which is groups of four with padding only at the end, as characters;
 * null for other texts, and where they are no whole floats. `atob` also takes white space and lets padding be left out, but
 * then makes fewer bytes than a canonical text of that length holds.
 */
function decodeBase64(text: string): string | null {
  if (text === "" || text.length % 4 !== 0) return null;
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return null;
  }
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return binary.length === (text.length / 4) * 3 - padding && binary.length % 4 === 0 ? binary : null;
}

/** A float whose exponent has all its bits is infinite or no number (IEEE 754). */
function holdsFinite(binary: string): boolean {
  for (let last = 3; last < binary.length; last += 4) {
    if ((binary.charCodeAt(last) & 0x7f) === 0x7f && (binary.charCodeAt(last - 1) & 0x80) !== 0) return false;
  }
  return true;
}
