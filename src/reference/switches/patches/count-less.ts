import { countPromptTokens, countTokens } from "../../content/tokenizer.ts";
import type { ChatInput } from "../../http/endpoints/chat-input.ts";
import type { EmbeddingsInput } from "../../http/endpoints/embeddings.ts";
import type { SeenCall } from "../../http/seen-call.ts";
import type { Switchboard } from "../switch.ts";

/** The input of a request of which only a part is counted as its prompt. */
export function countLess<Input>(switches: Switchboard, input: Input, { endpoint }: SeenCall): Input {
  if (endpoint === "chat" && switches.on("chat/last-message-counted")) {
    const chat = input as ChatInput;
    const prompt = countPromptTokens(chat.request.messages.slice(-1));
    const { completion_tokens: completion } = chat.usage;
    const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
    return { ...input, usage };
  }
  if (endpoint === "embeddings" && switches.on("embeddings/first-text-counted")) {
    const { texts } = input as EmbeddingsInput;
    return { ...input, tokens: countTokens(texts[0] ?? "") };
  }
  return input;
}
