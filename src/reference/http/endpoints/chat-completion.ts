import type { Answer } from "../../content/answer.ts";
import { type Service, unixSeconds } from "../service.ts";
import type { ChatInput } from "./chat-input.ts";
import type { AnswerMessage, ChatUsage, CompletionShape } from "./completion-shape.ts";

export interface CompletionFacts {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly answer: Answer;
  readonly usage: ChatUsage;
}

export function completionFacts(service: Service, { answer, usage, request }: ChatInput): CompletionFacts {
  const model = service.seams.models.answeredAs(request.model);
  return { id: service.nextId("chatcmpl-"), created: unixSeconds(service), model, answer, usage };
}

/** The Chat completion object. */
export function chatCompletion({ id, created, model, answer, usage }: CompletionFacts, shape: CompletionShape): unknown {
  const message = shape.message(
    answer.toolCalls.length === 0
      ? ({ role: "assistant", content: answer.tokens.join("") } as const)
      : toolMessage(answer, shape),
  );
  return shape.completion({
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, finish_reason: shape.finishReason(answer.finishReason) }],
    usage: shape.usage(usage),
  });
}

function toolMessage(answer: Answer, shape: CompletionShape): AnswerMessage {
  const calls = answer.toolCalls.map(({ id, name, argumentPieces }) =>
    shape.calledTool({ id, type: "function", function: { name, arguments: shape.argumentsText(argumentPieces.join("")) } }),
  );
  return { role: "assistant", content: null, tool_calls: calls };
}
