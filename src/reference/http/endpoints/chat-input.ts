import type { Answer, AnswerRequest } from "../../content/answer.ts";
import type { ChatUsage } from "./completion-shape.ts";

/** Body of POST /v1/chat/completions as far as it has been validated. */
export interface ChatRequest extends AnswerRequest {
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
}

export interface ChatInput {
  readonly request: ChatRequest;
  readonly answer: Answer;
  readonly usage: ChatUsage;
  readonly streaming: boolean;
}
