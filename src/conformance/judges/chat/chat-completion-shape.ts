import { createSchemaJudge, type SchemaRule } from "../../judging/schema-judge.ts";
import { hasTools, isUnstreamedAnswer } from "./chat-answer.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";

const rules: readonly SchemaRule[] = [
  { requirement: "CMPL-001", path: "/id", expected: "a string that is not empty" },
  { requirement: "CMPL-003", path: "/object", expected: "chat.completion" },
  { requirement: "CMPL-004", path: "/created", expected: "an integer" },
  { requirement: "CMPL-006", path: "/model", expected: "a string that is not empty" },
  { requirement: "CMPL-009", path: "/choices", keywords: ["minItems"], expected: "at least one item" },
  { requirement: "CMPL-008", path: "/choices", expected: "an array" },
  { requirement: "CMPL-008", path: "/choices/*", expected: "an object" },
  { requirement: "CMPL-010", path: "/choices/*/index", expected: "an integer" },
  { requirement: "CMPL-012", path: "/choices/*/message", expected: "an object" },
  { requirement: "CMPL-013", path: "/choices/*/message/role", expected: "assistant" },
  { requirement: "CMPL-014", path: "/choices/*/message/content", expected: "a string" },
  { requirement: "CMPL-015", path: "/choices/*/finish_reason", expected: "a string that is not empty" },
  { requirement: "CMPL-018", path: "/usage", expected: "an object" },
  { requirement: "CMPL-019", path: "/usage/prompt_tokens", expected: "an integer, 0 or more" },
  { requirement: "CMPL-020", path: "/usage/completion_tokens", expected: "an integer, 0 or more" },
  { requirement: "CMPL-021", path: "/usage/total_tokens", expected: "an integer, 0 or more" },
];

/** With tools the content may be null, which a schema of its own allows. */
const rulesWithTools = rules.filter((rule) => rule.requirement !== "CMPL-014");

/** The object of section "Chat completion (response)" to a request without tools. */
export const chatCompletionShape: ExchangeJudge = createSchemaJudge({
  id: "chat-completion-shape",
  whole: "CHAT-043",
  rules,
  endpoint: "chat",
  schema: (exchange) =>
    isUnstreamedAnswer(exchange) && !hasTools(exchange.requestObject ?? {}) ? "chat-completion.response" : null,
});

export const chatCompletionWithToolsShape: ExchangeJudge = createSchemaJudge({
  id: "chat-completion-with-tools-shape",
  whole: "CHAT-043",
  rules: rulesWithTools,
  endpoint: "chat",
  schema: (exchange) =>
    isUnstreamedAnswer(exchange) && hasTools(exchange.requestObject ?? {}) ? "chat-completion-with-tools.response" : null,
});
