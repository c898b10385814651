import type { Judge } from "../../judging/judge.ts";
import { chatAcceptance } from "./chat-acceptance.ts";
import { chatCompletionRelations } from "./chat-completion-relations.ts";
import { chatCompletionShape, chatCompletionWithToolsShape } from "./chat-completion-shape.ts";
import { chatCompletionValues } from "./chat-completion-values.ts";
import { chatStreamDefault } from "./chat-stream-default.ts";

export const chatJudges: readonly Judge[] = [
  chatAcceptance,
  chatCompletionShape,
  chatCompletionWithToolsShape,
  chatCompletionValues,
  chatCompletionRelations,
  chatStreamDefault,
];
