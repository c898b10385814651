import { tryJson, isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { PromptRow, WorkloadEndpoint } from "../profile/workload-item.ts";
import { bodyMembers } from "./body-members.ts";
import { isMessage } from "./is-message.ts";
import { readConversation } from "./read-conversation.ts";

export interface PromptsRead {
  readonly rows: readonly PromptRow[];
  /** At most ten, each with its line. */
  readonly problems: readonly string[];
}

/** The requests that the rows are for. */
export interface PromptsUse {
  readonly endpoint: WorkloadEndpoint;
  readonly stream: boolean;
  /** Each row is one turn, sent after the answer to the one before. */
  readonly isConversation: boolean;
}

const streamedChat: PromptsUse = { endpoint: "chat", stream: true, isConversation: false };

type Row = Readonly<Record<string, unknown>>;

/**
 * Reads a dataset: JSON lines, or one JSON list. A row is a text; an object with `prompt` or `messages`; a conversation of ShareGPT; or
 * a line of a batch of OpenAI. Members that a body can hold are sent; others are left alone.
 */
export function readPrompts(text: string, use: PromptsUse = streamedChat): PromptsRead {
  const rows: PromptRow[] = [];
  const problems: string[] = [];
  for (const { place, value } of readValues(text.replace(/^\uFEFF/, ""))) {
    const read = value === undefined ? "is no JSON" : readRow(value, use);
    if (typeof read === "string") problems.push(`${place} ${read}`);
    else rows.push(...read);
  }
  if (rows.length === 0 && problems.length === 0) problems.push("it holds no prompt");
  return { rows, problems: problems.slice(0, 10) };
}

/** A prompt of one message. */
export function rowOf(content: string): PromptRow {
  return { messages: [{ role: "user", content }], maxTokens: null };
}

function readValues(text: string): readonly { readonly place: string; readonly value: unknown }[] {
  const whole = text.trimStart().startsWith("[") ? tryJson(text) : undefined;
  if (Array.isArray(whole)) return whole.map((value: unknown, index) => ({ place: `item ${index + 1}`, value }));
  return text.split(/\r\n|\n|\r/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    return [{ place: `line ${index + 1}`, value: tryJson(line) }];
  });
}

/** The rows, or what is wrong. */
function readRow(value: unknown, use: PromptsUse): readonly PromptRow[] | string {
  if (typeof value === "string") return value === "" ? "is empty" : [rowOf(value)];
  if (!isJsonObject(value)) return 'is neither a JSON string nor an object with "prompt" or "messages"';
  if (Array.isArray(value["conversations"])) {
    if (use.isConversation) return 'has "conversations" with a history of their own; arrivals of conversations carry one already';
    return readConversation(value["conversations"]);
  }
  if (isJsonObject(value["body"]) && "url" in value) return readBatchLine(value, value["body"], use);
  return readBody(value, use);
}

const urls: Readonly<Partial<Record<WorkloadEndpoint, string>>> = { chat: "/v1/chat/completions", embeddings: "/v1/embeddings" };

function readBatchLine(line: Row, body: Row, use: PromptsUse): readonly PromptRow[] | string {
  const url = urls[use.endpoint];
  if (line["url"] !== url) return `is for ${JSON.stringify(line["url"])}; this entry of the workload sends to ${url}`;
  if ((line["method"] ?? "POST") !== "POST") return `has the method ${JSON.stringify(line["method"])}, and a request is a POST`;
  return readBody(body, use);
}

function readBody(row: Row, use: PromptsUse): readonly PromptRow[] | string {
  const maxTokens = row["max_tokens"] ?? row["max_completion_tokens"] ?? null;
  if (maxTokens !== null && !isCount(maxTokens)) return 'has a "max_tokens" that is no positive integer';
  if (typeof row["stream"] === "boolean" && use.endpoint === "chat" && row["stream"] !== use.stream)
    return `has "stream": ${row["stream"]}; say stream: ${row["stream"]} in the entry of the workload`;
  const body = bodyMembers(row);
  const rest = { maxTokens, ...(Object.keys(body).length === 0 ? {} : { body }) };
  const { messages } = row;
  const prompt = row["prompt"] ?? (use.endpoint === "embeddings" ? row["input"] : undefined);
  if (typeof prompt === "string" && prompt !== "" && messages === undefined) return [{ ...rowOf(prompt), ...rest }];
  if (prompt === undefined && Array.isArray(messages) && messages.length > 0 && messages.every(isMessage)) {
    return [{ messages: messages.map(({ role, content }) => ({ role, content })), ...rest }];
  }
  return 'needs either "prompt" (a string) or "messages" (each with role system, user or assistant, and content, a string)';
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}
