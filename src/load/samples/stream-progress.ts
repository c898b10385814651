import type { RecordedStream } from "../../core/exchange/exchange.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import { readTokenUsage } from "../../core/exchange/bodies/token-usage.ts";

/** The deliveries of a stream of chat chunks; instants on the run clock. */
export interface StreamProgress {
  readonly firstEventMs: number | null;
  /** First event whose delta carries non-empty content, reasoning or tool calls; null when none did. */
  readonly firstTokenMs: number | null;
  /** Earliest possible instant of the same arrival. */
  readonly firstTokenEarliestMs: number | null;
  /** First content or tool call, reasoning left out. */
  readonly firstOutputMs: number | null;
  readonly lastContentMs: number | null;
  readonly contentEvents: number;
  /** Bytes of content, reasoning and tool calls that arrived, at most: no token is shorter than one. */
  readonly contentLength: number;
  /** Reasoning arrived. */
  readonly reasoned: boolean;
  /** Events with content that one network read completed, in order. */
  readonly groups: readonly ArrivalGroup[];
  /** Usage came with the chunks and counted up, so that token boundaries are known. */
  readonly continuousUsage: boolean;
  readonly timings: ServerTimings | null;
  readonly text: string;
}

/** Chunks that became readable together: one arrival, not several gaps of zero. */
export interface ArrivalGroup {
  readonly atMs: number;
  readonly events: number;
  /** Tokens by `usage` of the chunks; null unless usage counts up in each chunk. */
  readonly tokens: number | null;
}

/** The server's own account of one request, in milliseconds. */
export interface ServerTimings {
  readonly source: "server-timing" | "llama.cpp";
  readonly queueMs: number | null;
  readonly prefillMs: number | null;
  readonly decodeMs: number | null;
  readonly decodedTokens: number | null;
}

/** Progress that is still made, and groups with the read that they came in. */
type OpenProgress = { -readonly [Member in keyof StreamProgress]: StreamProgress[Member] };
type OpenGroup = { -readonly [Member in keyof ArrivalGroup]: ArrivalGroup[Member] } & { readonly read: number };

/** `values` are the payloads of its events. Reads the chunks of the de-facto chat-completion convention (the specification does not show their shape). */
export function followStream(stream: RecordedStream, values: readonly unknown[]): StreamProgress {
  const groups: OpenGroup[] = [];
  const progress: OpenProgress = {
    firstEventMs: null,
    firstTokenMs: null,
    firstTokenEarliestMs: null,
    firstOutputMs: null,
    lastContentMs: null,
    contentEvents: 0,
    contentLength: 0,
    reasoned: false,
    groups,
    continuousUsage: false,
    timings: null,
    text: "",
  };
  let tokensBefore = 0;
  let usageEvents = 0;
  for (let position = 0; position < stream.events.length; position += 1) {
    const event = stream.events[position];
    if (event === undefined) break;
    progress.firstEventMs ??= event.atMs;
    const chunk = values[position];
    if (!isJsonObject(chunk)) continue;
    const delta = deltaOf(chunk);
    readTimings(chunk, progress);
    if (delta === null || !delta.token) continue;
    progress.firstTokenMs ??= event.atMs;
    progress.firstTokenEarliestMs ??= event.earliestMs;
    if (delta.output) progress.firstOutputMs ??= event.atMs;
    progress.lastContentMs = event.atMs;
    progress.contentEvents += 1;
    progress.contentLength += delta.length;
    progress.reasoned ||= delta.reasoned;
    progress.text += delta.text;
    const claimed = readTokenUsage(chunk)?.completionTokens ?? null;
    const counted = claimed !== null && claimed <= mostTokens ? claimed : null;
    if (counted !== null) usageEvents += 1;
    const tokens = counted === null ? null : Math.max(0, counted - tokensBefore);
    if (counted !== null) tokensBefore = counted;
    const group = groups.at(-1);
    if (group !== undefined && group.read === event.read) {
      group.events += 1;
      group.tokens = group.tokens === null || tokens === null ? null : group.tokens + tokens;
    } else {
      groups.push({ atMs: event.atMs, events: 1, tokens, read: event.read });
    }
  }
  progress.continuousUsage = progress.contentEvents > 1 && usageEvents === progress.contentEvents;
  return progress;
}

type Chunk = Readonly<Record<string, unknown>>;

function readTimings(chunk: Chunk, progress: OpenProgress): void {
  const timings = chunk["timings"];
  if (isJsonObject(timings)) {
    progress.timings = {
      source: "llama.cpp",
      queueMs: null,
      prefillMs: finite(timings["prompt_ms"]),
      decodeMs: finite(timings["predicted_ms"]),
      decodedTokens: finite(timings["predicted_n"]),
    };
  }
}

interface Delta {
  readonly token: boolean;
  readonly output: boolean;
  readonly reasoned: boolean;
  readonly text: string;
  readonly length: number;
}

function deltaOf(chunk: Chunk): Delta | null {
  const delta = firstChoice(chunk)?.["delta"];
  if (!isJsonObject(delta)) return null;
  const { text, thought: within } = readContent(delta["content"]);
  const calls = delta["tool_calls"];
  const called = Array.isArray(calls) && calls.length > 0;
  const thought = within + thoughtBeside(delta);
  const output = text !== "" || called;
  const length = lengthOf(text) + lengthOf(thought) + (called ? lengthOf(JSON.stringify(calls)) : 0);
  return { token: output || thought !== "", output, reasoned: thought !== "", text, length };
}

/** Names under which thoughts come: `reasoning`, `reasoning_content`, `reasoning_details`, `thinking_blocks`; and types of their parts. */
const thoughtName = /^(?:reasoning|think|thought)/i;

/** Content is a text, or a list of parts, some of which are thoughts. */
function readContent(content: unknown): { readonly text: string; readonly thought: string } {
  if (!Array.isArray(content)) return { text: textOf(content), thought: "" };
  let [text, thought] = ["", ""];
  for (const part of content as readonly unknown[]) {
    if (isJsonObject(part) && thoughtName.test(textOf(part["type"]))) thought += textsWithin(part, 0);
    else text += isJsonObject(part) ? textOf(part["text"]) : textOf(part);
  }
  return { text, thought };
}

function thoughtBeside(delta: Chunk): string {
  let thought = "";
  for (const name in delta) if (thoughtName.test(name)) thought += textsWithin(delta[name], 0);
  return thought;
}

/** Members of a part that say what it is, and not what was thought. */
const labels: ReadonlySet<string> = new Set(["type", "id", "format", "signature"]);
const mostDepth = 6;

/** All texts of a value in the order in which they stand. */
function textsWithin(value: unknown, depth: number): string {
  if (typeof value === "string") return value;
  if (depth >= mostDepth || typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .filter(([name]) => !labels.has(name))
    .map(([, part]) => textsWithin(part, depth + 1))
    .join("");
}

function firstChoice(chunk: Chunk): Chunk | null {
  const choices = chunk["choices"];
  const choice: unknown = Array.isArray(choices) ? choices[0] : null;
  return isJsonObject(choice) ? choice : null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Bytes in UTF-8 at most: a tokenizer may need several for one character. */
function lengthOf(text: string): number {
  return 3 * text.length;
}

function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** No answer is longer; a count beyond it is a claim that would drown every sum. */
export const mostTokens = 10_000_000;
