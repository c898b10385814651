import { chatMembers, shortChatTokens } from "../requests/chat-request.ts";
import type { NegativeEndpoint, NegativeField } from "./negative-cases.ts";

export const chatNegatives: NegativeEndpoint = {
  endpoint: "chat",
  needs: [{ kind: "model", use: "chat" }],
  valid: (manifest) => chatMembers(manifest),
  cost: { tokens: shortChatTokens },
};

/** Members of a chat request and every way to spoil them (sections "POST /v1/chat/completions" and "Chat message"). */
export const chatFields: readonly NegativeField[] = [
  {
    field: "model",
    violations: [
      { requirement: "CHAT-002", condition: "missing-field" },
      { requirement: "CHAT-003", condition: "wrong-type", values: [1, null, [], {}] },
      { requirement: "CHAT-004", condition: "unknown-model", values: ["assay-no-such-model-7f3a"] },
    ],
  },
  {
    field: "messages",
    violations: [
      { requirement: "CHAT-006", condition: "missing-field" },
      { requirement: "CHAT-007", condition: "wrong-type", values: ["hi", {}, 1, null] },
      { requirement: "CHAT-009", condition: "wrong-type", values: [["hi"], [null]] },
    ],
  },
  {
    field: "messages.0.role",
    violations: [
      { requirement: "MSG-004", condition: "out-of-range", values: ["robot"] },
      { requirement: "MSG-005", condition: "wrong-type", values: [1, null] },
      { requirement: "MSG-008", condition: "missing-field" },
    ],
  },
  {
    field: "messages.0.content",
    violations: [
      { requirement: "MSG-007", condition: "wrong-type", values: [5, true, {}] },
      { requirement: "MSG-009", condition: "missing-field" },
    ],
  },
  {
    field: "stream",
    lawful: false,
    violations: [{ requirement: "CHAT-013", condition: "wrong-type", values: ["true", 1, "yes"] }],
  },
  {
    field: "tools",
    lawful: [],
    violations: [{ requirement: "CHAT-015", condition: "wrong-type", values: ["x", {}] }],
  },
  {
    field: "temperature",
    lawful: 0,
    violations: [
      { requirement: "CHAT-020", condition: "out-of-range", values: [-0.1, -1] },
      { requirement: "CHAT-022", condition: "wrong-type", values: ["1", true, []] },
    ],
  },
  {
    field: "temperature",
    slug: "temperature-above-2",
    lawful: 2,
    violations: [{ requirement: "CHAT-021", condition: "out-of-range", values: [2.1, 100] }],
  },
  {
    field: "top_p",
    lawful: 1,
    violations: [{ requirement: "CHAT-025", condition: "wrong-type", values: ["1", {}] }],
  },
  {
    field: "max_tokens",
    lawful: 16,
    violations: [{ requirement: "CHAT-030", condition: "wrong-type", values: [1.5, "10", true] }],
  },
  {
    field: "reasoning_effort",
    lawful: "low",
    violations: [
      { requirement: "CHAT-036", condition: "out-of-range", values: ["extreme", "", "LOW"] },
      { requirement: "CHAT-037", condition: "wrong-type", values: [1] },
    ],
  },
];
