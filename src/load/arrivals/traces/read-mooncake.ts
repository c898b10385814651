import { shortName, shortValue } from "../../../core/short-value.ts";
import type { ChatMessage } from "../../profile/workload-item.ts";
import type { PromptBlocks } from "../../profile/planned-send.ts";
import { isMessage } from "../../workload/is-message.ts";
import { readObjects } from "./read-objects.ts";
import { tokenCount } from "../../../core/exchange/bodies/token-count.ts";
import type { ReadRows, TraceEntry, TraceOptions } from "./trace-entry.ts";

type Row = Readonly<Record<string, unknown>>;

/** Members that name a row and change nothing of what is sent. */
const names = new Set(["id", "request_id", "chat_id", "custom_id"]);
const used = new Set(["timestamp", "input_length", "output_length", "hash_ids", "text_input", "messages", "session_id", "delay"]);

/**
 * JSON lines of the Mooncake traces (Qin et al. 2024) with the members that later tools added: the prompt as `text_input` or
 * `messages`, turns of one conversation as rows of one `session_id`, `delay` between an answer and the next turn. Ids in `hash_ids`
 * are names of blocks: numbers of any length, or texts.
 */
export function readMooncake(lines: readonly string[], options: TraceOptions): ReadRows {
  const problems: string[] = [];
  const known = new Map<string, number>();
  const entries = readObjects(lines, problems).flatMap(({ place, value }): readonly TraceEntry[] => {
    const wrong: string[] = [];
    const entry = readRow(value, options, known, wrong);
    problems.push(...wrong.map((problem) => `${place}: ${problem}`));
    return wrong.length > 0 ? [] : [entry];
  });
  return { entries, problems };
}

/** `known`: the instant of the last row of each conversation before this one. */
function readRow(row: Row, options: TraceOptions, known: Map<string, number>, wrong: string[]): TraceEntry {
  for (const name of Object.keys(row)) {
    if (!names.has(name) && !used.has(name) && row[name] !== null)
      wrong.push(`"${shortName(name)}" is not known, so that it cannot be replayed; take it out if it changes nothing`);
  }
  const count = (name: string): number | null => {
    const found = tokenCount(row[name]);
    if (found === null && has(row, name)) wrong.push(`"${name}" is ${shortValue(row[name])}, not a whole number`);
    return found;
  };
  const promptTokens = count("input_length");
  const outputTokens = count("output_length");
  const messages = readMessages(row, wrong);
  const blocks = readBlocks(row, promptTokens, options.blockTokens, wrong);
  const session = readSession(row, wrong);
  const before = session === null ? undefined : known.get(session);
  const afterMs = has(row, "delay") ? readTime(row, "delay", options, wrong) : null;
  if (afterMs !== null && before === undefined) wrong.push('"delay" needs an earlier row of the same "session_id"');
  const isDelayed = afterMs !== null && !has(row, "timestamp");
  const atMs = isDelayed ? (before ?? 0) + afterMs : readTime(row, "timestamp", options, wrong);
  if (before !== undefined && atMs < before) wrong.push('"timestamp" is before that of the turn before it');
  if (session !== null) known.set(session, atMs);
  return {
    atMs,
    promptTokens,
    outputTokens,
    ...(blocks === null ? {} : { blocks }),
    ...(messages === null ? {} : { messages }),
    ...(session === null ? {} : { session }),
    ...(afterMs === null ? {} : { afterMs }),
  };
}

function readTime(row: Row, name: string, { timeUnit }: TraceOptions, wrong: string[]): number {
  const value = row[name];
  if (typeof value !== "number" || !Number.isFinite(value) || (name === "delay" && value < 0)) {
    const what = has(row, name)
      ? `"${name}" is ${shortValue(value)}, no time`
      : `it has no "${name}", so that nothing says when it is sent`;
    wrong.push(what);
    return 0;
  }
  if (timeUnit === null && !Number.isInteger(value)) {
    wrong.push(`"${name}" is ${value}: Mooncake counts whole milliseconds; say timeUnit: s or timeUnit: ms in the arrivals`);
  }
  return timeUnit === "s" ? 1000 * value : value;
}

function readMessages(row: Row, wrong: string[]): readonly ChatMessage[] | null {
  const text = row["text_input"];
  const messages = row["messages"];
  if (!has(row, "text_input") && !has(row, "messages")) return null;
  const given = ["text_input", "messages", "input_length", "hash_ids"].filter((name) => has(row, name));
  if (given.length > 1)
    wrong.push(`${given.map((name) => `"${name}"`).join(" and ")} each state the prompt; only one of them may`);
  if (typeof text === "string" && text !== "") return [{ role: "user", content: text }];
  if (Array.isArray(messages) && messages.length > 0 && messages.every(isMessage))
    return messages.map(({ role, content }) => ({ role, content }));
  wrong.push(
    has(row, "text_input")
      ? `"text_input" is ${shortValue(text)}, no text`
      : '"messages" must hold a role (system, user, assistant) and a text as content each',
  );
  return null;
}

function readBlocks(row: Row, promptTokens: number | null, tokens: number, wrong: string[]): PromptBlocks | null {
  const ids = row["hash_ids"];
  if (!has(row, "hash_ids") || has(row, "text_input") || has(row, "messages")) return null;
  if (!Array.isArray(ids) || !ids.every(isName)) {
    wrong.push('"hash_ids" is no list of ids: whole numbers or texts');
    return null;
  }
  if (promptTokens === null) {
    if (!has(row, "input_length")) wrong.push('"hash_ids" needs "input_length"');
    return null;
  }
  const needed = Math.ceil(promptTokens / tokens);
  if (ids.length === needed) return { ids: ids.map(String), tokens };
  wrong.push(
    `"hash_ids" holds ${ids.length} ids, ${promptTokens} tokens are ${needed} blocks of ${tokens} (blockTokens of the profile)`,
  );
  return null;
}

function readSession(row: Row, wrong: string[]): string | null {
  if (!has(row, "session_id")) return null;
  if (isName(row["session_id"])) return String(row["session_id"]);
  wrong.push(`"session_id" is ${shortValue(row["session_id"])}, no name`);
  return null;
}

function isName(value: unknown): value is string | number {
  return (typeof value === "string" && value !== "") || (typeof value === "number" && Number.isSafeInteger(value));
}

function has(row: Row, name: string): boolean {
  return (row[name] ?? null) !== null;
}
