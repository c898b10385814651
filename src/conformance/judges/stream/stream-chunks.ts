import type { RecordedEvent, RecordedStream } from "../../../core/exchange.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json-value.ts";

/** One event of a stream with its payload as JSON; undefined when the payload is not JSON. */
export interface StreamChunk {
  readonly event: RecordedEvent;
  readonly value: JsonValue | undefined;
}

const parsed = new WeakMap<RecordedStream, readonly StreamChunk[]>();

/** All events but the terminator `[DONE]` of the convention; parsed once for each stream. */
export function readChunks(stream: RecordedStream): readonly StreamChunk[] {
  const known = parsed.get(stream);
  if (known !== undefined) return known;
  const chunks = stream.events
    .filter((event) => event.data !== "[DONE]")
    .map((event) => ({ event, value: parseJsonText(event.data) }));
  parsed.set(stream, chunks);
  return chunks;
}

/** undefined when the text is not JSON. */
export function parseJsonText(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export function chunkObjects(stream: RecordedStream): readonly JsonObject[] {
  return readChunks(stream)
    .map((chunk) => chunk.value)
    .filter(isJsonObject);
}

export function chunkChoices(chunk: JsonObject): readonly JsonObject[] {
  return Array.isArray(chunk["choices"]) ? chunk["choices"].filter(isJsonObject) : [];
}

export function deltaOf(choice: JsonObject): JsonObject | null {
  const { delta } = choice;
  return isJsonObject(delta) ? delta : null;
}
