import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { ChatMessage, PromptRow } from "../profile/workload-item.ts";

const roles: Readonly<Record<string, ChatMessage["role"]>> = {
  human: "user",
  user: "user",
  gpt: "assistant",
  chatgpt: "assistant",
  assistant: "assistant",
  bing: "assistant",
  bard: "assistant",
  system: "system",
};

/**
 * A conversation as ShareGPT holds it: one row for each turn of a person, after all that was said before it. Its last answer is not
 * sent, and its length needs a tokenizer: `outputTokens` of the workload sets it. The rows, or what is wrong.
 */
export function readConversation(turns: readonly unknown[]): readonly PromptRow[] | string {
  const messages: ChatMessage[] = [];
  for (const turn of turns) {
    const from = isJsonObject(turn) ? turn["from"] : undefined;
    const role = typeof from === "string" && Object.hasOwn(roles, from) ? roles[from] : undefined;
    const content = isJsonObject(turn) ? turn["value"] : undefined;
    if (role === undefined || typeof content !== "string")
      return `has a turn in "conversations" without "from" (${Object.keys(roles).join(", ")}) and "value" (a text)`;
    messages.push({ role, content });
  }
  const asked = messages.flatMap(({ role }, place) => (role === "user" ? [place] : []));
  if (asked.length === 0) return 'has no turn of a person in "conversations"';
  return asked.map((place) => ({ messages: messages.slice(0, place + 1), maxTokens: null }));
}
