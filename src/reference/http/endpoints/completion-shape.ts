import type { Answer, AnswerRequest } from "../../content/answer.ts";

export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
}

export interface CalledTool {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface AnswerMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
}

/** The Chat completion object before it is written; its inner parts have passed their own seams. */
export interface Completion {
  readonly id: string;
  readonly object: "chat.completion";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly [{ readonly index: 0; readonly message: unknown; readonly finish_reason: unknown }];
  readonly usage: unknown;
}

/** The parts of an answer; usage, reason and arguments are those of streamed answers too. */
export interface CompletionShape {
  /** `max_tokens` as the model obeys it; undefined: no bound. */
  readonly tokensAtMost: (asked: number) => number | undefined;
  /** JSON text, or a piece of it. */
  readonly argumentsText: (text: string) => string;
  readonly calledTool: (call: CalledTool) => unknown;
  readonly message: (message: AnswerMessage) => unknown;
  readonly finishReason: (reason: Answer["finishReason"]) => string | null;
  readonly usage: (usage: ChatUsage) => unknown;
  /** Details of a prompt, which only a service with a cache has. */
  readonly promptDetails: (messages: AnswerRequest["messages"]) => Pick<ChatUsage, "prompt_tokens_details">;
  readonly completion: (completion: Completion) => unknown;
}

export const lawfulCompletionShape: CompletionShape = {
  tokensAtMost: (asked) => Math.max(1, asked),
  argumentsText: (text) => text,
  calledTool: (call) => call,
  message: (message) => message,
  finishReason: (reason) => reason,
  usage: (usage) => usage,
  promptDetails: () => ({}),
  completion: (completion) => completion,
};
