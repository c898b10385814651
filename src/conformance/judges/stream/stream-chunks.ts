import { parseBoundedJson } from "../../../core/exchange/bodies/bounded-json.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../judging/json-value.ts";

/** undefined when the text is not JSON, or beyond what is read. */
export function parseJsonText(text: string): JsonValue | undefined {
  const json = parseBoundedJson(text);
  return json.ok ? json.value : undefined;
}

/** Payloads of the events of a stream that are JSON objects. */
export function chunkObjects({ eventValues }: ExchangeFacts): readonly JsonObject[] {
  return eventValues.filter(isJsonObject);
}

export function chunkChoices(chunk: JsonObject): readonly JsonObject[] {
  return Array.isArray(chunk["choices"]) ? chunk["choices"].filter(isJsonObject) : [];
}

export function deltaOf(choice: JsonObject): JsonObject | null {
  const { delta } = choice;
  return isJsonObject(delta) ? delta : null;
}
