import { parseBoundedJson } from "../../../core/exchange/bounded-json.ts";
import { readStreamJson } from "../../../core/exchange/recorded-json.ts";
import type { RecordedEvent, RecordedStream } from "../../../core/exchange/exchange.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../judging/json-value.ts";

/** One event of a stream with its payload as JSON; undefined when the payload is not JSON. */
export interface StreamChunk {
  readonly event: RecordedEvent;
  readonly value: JsonValue | undefined;
}

const parsed = new WeakMap<RecordedStream, readonly StreamChunk[]>();
const latest: { stream: RecordedStream | null; chunks: readonly StreamChunk[] } = { stream: null, chunks: [] };

/** All events but the terminator `[DONE]` of the convention; parsed once for each stream. */
export function readChunks(stream: RecordedStream): readonly StreamChunk[] {
  if (latest.stream !== stream) {
    latest.chunks = parsed.get(stream) ?? parseChunks(stream);
    latest.stream = stream;
    // Load leaves digests out, and its streams are read once, by all judges in a row.
    if (stream.sha256 !== "") parsed.set(stream, latest.chunks);
  }
  return latest.chunks;
}

function parseChunks(stream: RecordedStream): readonly StreamChunk[] {
  const values = readStreamJson(stream);
  const chunks: StreamChunk[] = [];
  for (const [place, event] of stream.events.entries()) {
    if (event.data !== "[DONE]") chunks.push({ event, value: values[place] as JsonValue | undefined });
  }
  return chunks;
}

/** undefined when the text is not JSON, or beyond what is read. */
export function parseJsonText(text: string): JsonValue | undefined {
  const json = parseBoundedJson(text);
  return json.ok ? (json.value as JsonValue) : undefined;
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
