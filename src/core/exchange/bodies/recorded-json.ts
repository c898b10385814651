import { parseBoundedJson } from "./bounded-json.ts";
import type { RecordedBody, RecordedStream } from "../exchange.ts";
import type { JsonValue, JsonObject } from "./json-value.ts";

/** Texts that are tried as the pattern of the chunks of one stream. Chunks that none fits are parsed as they are. */
const mostPatterns = 3;
/** A content that is written as it is: no quotation mark, no escape, no control character. */
const plainContent = /^[\u0020\u0021\u0023-\u005b\u005d-\uffff]*$/;
const probe = "assay-content";

/** A chunk of which the text of its content is left out. */
interface Pattern {
  readonly before: string;
  readonly after: string;
  readonly value: JsonObject;
  readonly choice: JsonObject;
  readonly delta: JsonObject;
}

/**
 * Parses the events of one stream in turn. Chunks of a chat are alike but for their content: where one has the text of the chunk before
 * around another content, it also has its value around it, and need not be parsed. The values are those of `parseBoundedJson`.
 */
export function createChunkParser(): (text: string) => JsonValue | undefined {
  let pattern: Pattern | null = null;
  let patternsLeft = mostPatterns;
  return (text) => {
    const alike = pattern === null ? undefined : readAlike(text, pattern);
    if (alike !== undefined) return alike;
    const json = parseBoundedJson(text);
    if (!json.ok) return undefined;
    if (patternsLeft > 0) {
      const learned = findPattern(text, json.value);
      if (learned !== null) {
        pattern = learned;
        patternsLeft -= 1;
      }
    }
    return json.value;
  };
}

function readAlike(text: string, { before, after, value, choice, delta }: Pattern): JsonObject | undefined {
  if (text.length < before.length + after.length || !text.startsWith(before) || !text.endsWith(after)) return undefined;
  const content = text.slice(before.length, text.length - after.length);
  if (!plainContent.test(content)) return undefined;
  return { ...value, choices: [{ ...choice, delta: { ...delta, content } }] };
}

function findPattern(text: string, value: JsonValue): Pattern | null {
  const delta = deltaOf(value);
  const content = delta?.["content"];
  if (typeof content !== "string" || content === "" || !plainContent.test(content)) return null;
  const place = text.indexOf(`"${content}"`, text.indexOf('"content"') + '"content"'.length);
  if (place === -1) return null;
  const [before, after] = [text.slice(0, place + 1), text.slice(place + 1 + content.length)];
  // Whether this is the place of the content, and of nothing else, shows in the value of a text with another content.
  const probed = parseBoundedJson(`${before}${probe}${after}`);
  if (!probed.ok || deltaOf(probed.value)?.["content"] !== probe) return null;
  return patternOf(value, { before, after });
}

function patternOf(value: JsonValue, around: Pick<Pattern, "before" | "after">): Pattern | null {
  const [choice, delta] = [choiceOf(value), deltaOf(value)];
  return isObject(value) && choice !== null && delta !== null ? { ...around, value, choice, delta } : null;
}

function deltaOf(value: JsonValue): JsonObject | null {
  const delta = choiceOf(value)?.["delta"];
  return isObject(delta) ? delta : null;
}

/** The only one. */
function choiceOf(value: JsonValue): JsonObject | null {
  const choices = isObject(value) ? value["choices"] : null;
  const choice: JsonValue | undefined = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  return isObject(choice) ? choice : null;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
