import { parseBoundedJson } from "./bounded-json.ts";
import type { Exchange, RecordedBody, RecordedStream } from "./exchange.ts";

/** The JSON value of a recorded body, or why there is none. */
export type RecordedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: JsonProblem; readonly error?: string };

export type JsonProblem = "no-body" | "empty" | "truncated" | "not-utf8" | "malformed" | "beyond-bounds";

interface BodyEntry {
  body: RecordedBody | null;
  json: RecordedJson;
}

const noBody: RecordedJson = { ok: false, problem: "no-body" };

/**
 * The two bodies that were read last, as a rule of an answer and of its request. Budget, passive validation and figures read
 * them one after the other: two entries spare all parses but the first of each, and bodies are immutable.
 */
const last: BodyEntry = { body: null, json: noBody };
const secondLast: BodyEntry = { body: null, json: noBody };

/** Parses a body as JSON (RFC 8259). A leading byte order mark is malformed: senders must not add one (section 8.1). */
export function readRecordedJson(body: RecordedBody | null | undefined): RecordedJson {
  if (!body) return noBody;
  if (last.body === body) return last.json;
  const json = secondLast.body === body ? secondLast.json : parseBody(body);
  secondLast.body = last.body;
  secondLast.json = last.json;
  last.body = body;
  last.json = json;
  return json;
}

function parseBody(body: RecordedBody): RecordedJson {
  if (body.bytes === 0) return { ok: false, problem: "empty" };
  if (body.truncated) return { ok: false, problem: "truncated" };
  if (body.text === undefined) return { ok: false, problem: "not-utf8" };
  return parseBoundedJson(body.text);
}

/** The JSON value of the response body, or undefined when it has none that parses. */
export function responseJson(exchange: Exchange): unknown {
  const json = readRecordedJson(exchange.response?.body);
  return json.ok ? json.value : undefined;
}

/** The stream that was read last: budget, passive validation and figures read its events one after the other. */
const lastStream: { stream: RecordedStream | null; values: readonly unknown[] } = { stream: null, values: [] };

/** The payload of each event of a stream as JSON, in order; undefined where it is none (as `[DONE]` is). */
export function readStreamJson(stream: RecordedStream): readonly unknown[] {
  if (lastStream.stream !== stream) {
    const { events } = stream;
    const values: unknown[] = [];
    for (let place = 0; place < events.length; place += 1) values.push(parseEvent(events[place]?.data ?? ""));
    lastStream.values = values;
    lastStream.stream = stream;
  }
  return lastStream.values;
}

function parseEvent(data: string): unknown {
  // The end marker of the convention: an exception costs more than the rest of a stream.
  if (data === "[DONE]") return undefined;
  const json = parseBoundedJson(data);
  return json.ok ? json.value : undefined;
}

/** Whether a value is a JSON object (neither array nor null). */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
