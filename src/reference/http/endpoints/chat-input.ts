import type { Answer, AnswerRequest } from "../../content/answer.ts";
import type { Call } from "../call.ts";
import type { ChatUsage } from "./chat-completion.ts";

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

/** Model of the response; a service may resolve an alias to a dated name (reading AMB-42). */
export function answeredModel(call: Call, requested: string): string {
  return call.service.switches.on("models/alias-resolved") ? `${requested}-2026-11-01` : requested;
}
