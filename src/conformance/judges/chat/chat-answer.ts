import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isDescribedSuccess } from "../../judging/subjects.ts";
import { isJsonObject, type JsonObject } from "../../judging/json-value.ts";

/** A chat completion that is not streamed, with what was asked for. */
export interface ChatAnswer {
  readonly exchange: ExchangeFacts;
  readonly request: JsonObject;
  readonly body: JsonObject;
}

/** A successful answer that was wanted in one piece, whatever its body is; one that came as a stream has no body. */
export function isUnstreamedAnswer(exchange: ExchangeFacts): boolean {
  return exchange.endpoint === "chat" && isDescribedSuccess(exchange) && !exchange.asksForStream;
}

/** null for everything that is no complete, successful, unstreamed chat completion. */
export function chatAnswer(exchange: ExchangeFacts): ChatAnswer | null {
  if (!isUnstreamedAnswer(exchange)) return null;
  const body = exchange.responseObject;
  const request = exchange.requestObject;
  return body === null || request === null ? null : { exchange, request, body };
}

/** Tools change what a message may hold (AMB-01). */
export function hasTools(request: JsonObject): boolean {
  return Array.isArray(request["tools"]) && request["tools"].length > 0;
}

export function choicesOf(body: JsonObject): readonly JsonObject[] {
  return Array.isArray(body["choices"]) ? body["choices"].filter(isJsonObject) : [];
}

export function tokenCount(body: JsonObject, name: string): number | null {
  const usage = body["usage"];
  const value = isJsonObject(usage) ? usage[name] : undefined;
  return Number.isInteger(value) ? (value as number) : null;
}
