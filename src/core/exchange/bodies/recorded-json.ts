import { parseBoundedJson } from "./bounded-json.ts";
import { createChunkParser } from "./chunk-parser.ts";
import type { RecordedBody, RecordedStream } from "../exchange.ts";
import type { JsonValue } from "./json-value.ts";

/** The JSON value of a recorded body, or why there is none. */
export type RecordedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: JsonProblem; readonly error?: string };

export type JsonProblem =
  | "no-body"
  | "empty"
  | "truncated"
  | "not-utf8"
  | "malformed"
  | "beyond-bounds"
  | "coding"
  | "unknown-coding";

const noBody: RecordedJson = { ok: false, problem: "no-body" };

/** Parses a body as JSON (RFC 8259). A leading byte order mark is malformed: senders must not add one (section 8.1). */
export function parseRecordedJson(body: RecordedBody | null | undefined): RecordedJson {
  if (!body) return noBody;
  if (body.bytes === 0) return { ok: false, problem: "empty" };
  const { unread, text, base64 } = body;
  if (unread?.cause === "coding" || unread?.cause === "unknown-coding") return { ok: false, problem: unread.cause };
  if (typeof unread?.malformed === "string") return { ok: false, problem: "malformed", error: unread.malformed };
  // The beginning of bytes that are no text says so for all of them.
  if (text === undefined && (base64 ?? "") !== "") return { ok: false, problem: "not-utf8" };
  if (body.truncated) return { ok: false, problem: "truncated" };
  if (text === undefined) return { ok: false, problem: "not-utf8" };
  return parseBoundedJson(text);
}

const noEvents: readonly undefined[] = [];

/** The payload of each event of a stream as JSON, in order; undefined where it is none (as `[DONE]` is). */
export function parseStreamJson(stream: RecordedStream | null): readonly (JsonValue | undefined)[] {
  if (stream === null) return noEvents;
  const { events } = stream;
  const values: (JsonValue | undefined)[] = [];
  const parse = createChunkParser();
  for (let place = 0; place < events.length; place += 1) {
    const data = events[place]?.data ?? "";
    // The end marker of the convention: an exception costs more than the rest of a stream.
    values.push(data === "[DONE]" ? undefined : parse(data));
  }
  return values;
}

/** The JSON value of a text, without bounds; undefined if the text is no JSON. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object (neither array nor null). */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
