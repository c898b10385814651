import { tryJson, isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { ChatMessage, PromptRow } from "../profile/load-profile.ts";

export interface PromptsRead {
  readonly rows: readonly PromptRow[];
  /** At most ten, each with its line. */
  readonly problems: readonly string[];
}

/**
 * Reads a dataset, one row a line: a JSON string, or an object with `prompt` (a string) or `messages` (role and content), and
 * `max_tokens` where the row sets the length of its answer. Other members are left alone.
 */
export function readPrompts(text: string): PromptsRead {
  const rows: PromptRow[] = [];
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (line.trim() === "") continue;
    const row = readRow(line);
    if (typeof row === "string") problems.push(`line ${index + 1} ${row}`);
    else rows.push(row);
  }
  if (rows.length === 0 && problems.length === 0) problems.push("it holds no prompt");
  return { rows, problems: problems.slice(0, 10) };
}

/** A prompt of one message. */
export function rowOf(content: string): PromptRow {
  return { messages: [{ role: "user", content }], maxTokens: null };
}

/** The row, or what is wrong with it. */
function readRow(line: string): PromptRow | string {
  const value = tryJson(line);
  if (value === undefined) return "is no JSON";
  if (typeof value === "string") return value === "" ? "is empty" : rowOf(value);
  if (!isJsonObject(value)) return 'is neither a JSON string nor an object with "prompt" or "messages"';
  const maxTokens = value["max_tokens"] ?? null;
  if (maxTokens !== null && !isCount(maxTokens)) return 'has a "max_tokens" that is no positive integer';
  const { prompt, messages } = value;
  if (typeof prompt === "string" && prompt !== "" && messages === undefined) return { ...rowOf(prompt), maxTokens };
  if (prompt === undefined && Array.isArray(messages) && messages.length > 0 && messages.every(isMessage)) {
    return { messages: messages.map(({ role, content }) => ({ role, content })), maxTokens };
  }
  return 'needs either "prompt" (a string) or "messages" (each with role system, user or assistant, and content, a string)';
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}

function isMessage(value: unknown): value is ChatMessage {
  if (!isJsonObject(value) || typeof value["content"] !== "string") return false;
  return value["role"] === "system" || value["role"] === "user" || value["role"] === "assistant";
}
