import type { Mutant } from "../switch.ts";
import { mutant } from "../switch-builders.ts";

/** The object as a whole, which fails with any of its parts. */
const whole = ["CHAT-043", "CHAT-011", "CHAT-012", "CHAT-001", "SVC-003"] as const;

const range = ["ERR-022", "ERR-024", "STRM-010", "ERR-006"] as const;

/** Rows that fail when hardly any chat request is served. */
const everyChatRequest = [
  ...whole,
  "CHAT-010",
  "CHAT-014",
  "CHAT-017",
  "CHAT-018",
  "CHAT-019",
  "CHAT-024",
  "CHAT-028",
  "CHAT-029",
  "CHAT-033",
  "CHAT-034",
  "CHAT-035",
  "ERR-006",
  "MSG-001",
  "MSG-002",
  "MSG-003",
  "MSG-006",
  "REQ-001",
  "REQ-002",
  "REQ-004",
  "SPEND-001",
  "SPEND-002",
  "SPEND-009",
  "SPEND-021",
  "STRM-001",
  "STRM-003",
] as const;

export const chatMutants: readonly Mutant[] = [
  mutant("chat/id-repeated", "Every completion has the same id", ["CMPL-002"]),
  mutant("chat/choice-index-from-one", "The first choice has index 1", ["CMPL-011"]),
  mutant("chat/temperature-unchecked", "Any temperature is accepted", ["CHAT-020", "CHAT-021"], {
    mayAlsoFail: range,
    origin: "llama.cpp, aimock",
  }),
  mutant("chat/temperature-above-unchecked", "Temperatures above 2 are accepted", ["CHAT-021"], { mayAlsoFail: range }),
  mutant("chat/temperature-below-unchecked", "Temperatures below 0 are accepted", ["CHAT-020"], { mayAlsoFail: range }),
  mutant("chat/out-of-range-clamped", "Values out of range are moved into it", ["CHAT-020", "CHAT-021"], {
    mayAlsoFail: range,
    origin: "Portkey gateway",
  }),
  mutant("chat/not-implemented", "There is no chat", ["SVC-003"], { mayAlsoFail: everyChatRequest }),
  mutant("chat/temperature-fraction-refused", "Temperatures have to be whole numbers", ["CHAT-019"]),
  mutant("chat/temperature-zero-refused", "Temperature 0 is refused", ["CHAT-017"]),
  mutant("chat/temperature-two-refused", "Temperature 2 is refused", ["CHAT-018"]),
  mutant("chat/role-unchecked", "Any role is accepted", ["MSG-004"], { mayAlsoFail: range, origin: "llama.cpp" }),
  mutant("chat/effort-unchecked", "Any reasoning_effort is accepted", ["CHAT-036"], { mayAlsoFail: range }),
  mutant("chat/model-optional", "A missing model is replaced", ["CHAT-002"], {
    mayAlsoFail: ["ERR-021", "ERR-006", "ERR-024", "CHAT-042", "STRM-010"],
    origin: "llama.cpp",
  }),
  mutant("chat/messages-optional", "Missing messages are replaced", ["CHAT-006"], {
    mayAlsoFail: ["ERR-021", "ERR-006", "ERR-024", "CHAT-042", "STRM-010"],
  }),
  mutant("chat/non-object-accepted", "A body that is no object is taken for an empty one", ["CHAT-042"], {
    mayAlsoFail: ["ERR-020", "ERR-024"],
  }),
  mutant("chat/top-p-refused", "top_p is refused", ["CHAT-024"], { mayAlsoFail: ["CHAT-025"] }),
  mutant("chat/max-tokens-refused", "max_tokens is refused", ["CHAT-028"], { mayAlsoFail: everyChatRequest }),
  mutant("chat/max-tokens-required", "max_tokens is mandatory", ["CHAT-001"], {
    mayAlsoFail: everyChatRequest,
    origin: "Anthropic-shaped back ends",
  }),
  mutant("chat/max-tokens-ignored", "max_tokens has no effect", ["CHAT-029"], { mayAlsoFail: ["XOAI-008"] }),
  mutant("chat/max-tokens-off-by-one", "One token more than max_tokens is written", ["CHAT-029"]),
  mutant("chat/tools-refused", "tools are refused", ["CHAT-014"], { mayAlsoFail: ["CHAT-015", "XOAI-007", "XOAI-008"] }),
  mutant("chat/effort-low-refused", "reasoning_effort low is refused", ["CHAT-033"], { mayAlsoFail: ["CHAT-036"] }),
  mutant("chat/effort-medium-refused", "reasoning_effort medium is refused", ["CHAT-034"], { mayAlsoFail: ["CHAT-036"] }),
  mutant("chat/effort-high-refused", "reasoning_effort high is refused", ["CHAT-035"], { mayAlsoFail: ["CHAT-036"] }),
  mutant("chat/system-role-refused", "System messages are refused", ["MSG-001"]),
  mutant("chat/assistant-role-refused", "Assistant messages are refused", ["MSG-003"], { mayAlsoFail: ["XOAI-007"] }),
  mutant("chat/wrapped-in-array", "Completions are wrapped in an array", ["CHAT-043"], { mayAlsoFail: whole }),
  mutant("chat/bare-text", "Completions are { text }", ["CMPL-001", "CMPL-003", "CMPL-008", "CMPL-018"], {
    mayAlsoFail: [...whole, "CMPL-004", "CMPL-006", "CMPL-014", "CMPL-015", "CMPL-019", "CMPL-020", "CMPL-021", "XOAI-008"],
  }),
  mutant("chat/id-absent", "Completions have no id", ["CMPL-001"], { mayAlsoFail: whole }),
  mutant("chat/object-wrong", "object is text_completion", ["CMPL-003"], { mayAlsoFail: whole }),
  mutant("chat/created-text", "created is an ISO 8601 text", ["CMPL-004"], { mayAlsoFail: [...whole, "CMPL-005"] }),
  mutant("chat/created-fraction", "created has a fraction", ["CMPL-004"], { mayAlsoFail: [...whole, "CMPL-005"] }),
  mutant("chat/created-ms", "created is in milliseconds", ["CMPL-005"], { mayAlsoFail: whole }),
  mutant("chat/created-zero", "created is 0", ["CMPL-005"], { mayAlsoFail: whole }),
  mutant("chat/model-absent", "Completions do not name the model", ["CMPL-006"], { mayAlsoFail: whole }),
  mutant("chat/choices-object", "choices is an object", ["CMPL-008"], { mayAlsoFail: [...whole, "CMPL-009"] }),
  mutant("chat/choices-empty", "choices is empty", ["CMPL-009"], { mayAlsoFail: whole, origin: "content filters of gateways" }),
  mutant("chat/choice-index-text", "choices[].index is a text", ["CMPL-010"], { mayAlsoFail: [...whole, "CMPL-011"] }),
  mutant("chat/choice-text", "choices hold text in place of a message", ["CMPL-012"], {
    mayAlsoFail: [...whole, "XOAI-008", "CMPL-013", "CMPL-014"],
  }),
  mutant("chat/message-role-model", "message.role is model", ["CMPL-013"], {
    mayAlsoFail: whole,
    origin: "Gemini-shaped back ends",
  }),
  mutant("chat/content-null", "message.content is null", ["CMPL-014"], {
    mayAlsoFail: whole,
    origin: "reasoning models behind vLLM",
  }),
  mutant("chat/content-parts", "message.content is an array of parts", ["CMPL-014"], { mayAlsoFail: whole }),
  mutant("chat/content-absent", "message has no content", ["CMPL-014"], { mayAlsoFail: whole }),
  mutant("chat/finish-reason-null", "finish_reason is null", ["CMPL-015"], {
    mayAlsoFail: [...whole, "CMPL-016", "XOAI-003", "XOAI-008"],
  }),
  mutant("chat/finish-reason-empty", "finish_reason is empty", ["CMPL-015"], {
    mayAlsoFail: [...whole, "CMPL-016", "XOAI-003", "XOAI-008"],
    origin: "LocalAI#1194",
  }),
  mutant("chat/finish-reason-absent", "finish_reason is left out", ["CMPL-015"], {
    mayAlsoFail: [...whole, "XOAI-008", "CMPL-016"],
  }),
  mutant("chat/usage-absent", "Completions have no usage", ["CMPL-018"], {
    mayAlsoFail: [...whole, "CMPL-019", "CMPL-020", "CMPL-021", "CHAT-029"],
  }),
  mutant("chat/usage-null", "usage is null", ["CMPL-018"], {
    mayAlsoFail: [...whole, "CMPL-019", "CMPL-020", "CMPL-021", "CHAT-029"],
  }),
  mutant("chat/usage-prompt-text", "usage.prompt_tokens is a text", ["CMPL-019"], { mayAlsoFail: [...whole, "CMPL-022"] }),
  mutant("chat/usage-completion-null", "usage.completion_tokens is null", ["CMPL-020"], {
    mayAlsoFail: [...whole, "CHAT-029"],
    origin: "SGLang",
  }),
  mutant("chat/usage-completion-fraction", "usage.completion_tokens has a fraction", ["CMPL-020"], {
    mayAlsoFail: [...whole, "CMPL-022", "CHAT-029"],
  }),
  mutant("chat/usage-completion-negative", "usage.completion_tokens is negative", ["CMPL-020"], {
    mayAlsoFail: [...whole, "CMPL-022"],
  }),
  mutant("chat/usage-total-absent", "usage.total_tokens is left out", ["CMPL-021"], { mayAlsoFail: whole }),
  mutant("chat/last-message-counted", "Only the last message of a conversation is counted as its prompt", ["CMPL-025"], {
    mayAlsoFail: ["CMPL-022"],
  }),
  mutant("chat/usage-total-wrong", "usage.total_tokens is one more than the sum", ["CMPL-022"], {
    mayAlsoFail: ["USG-032", "USG-033"],
  }),
  mutant("chat/usage-completion-in-prompt", "Completion tokens are stated as prompt tokens", ["CMPL-024"], {
    mayAlsoFail: ["USG-046", "CMPL-023"],
  }),
  mutant("chat/usage-kinds-exchanged", "Prompt and completion tokens of an answer are exchanged", ["USG-046"], {
    mayAlsoFail: ["CMPL-023", "CMPL-024", "CHAT-029"],
  }),
  mutant("chat/usage-prompt-constant", "Longer prompts report fewer prompt tokens", ["CMPL-023"], {
    mayAlsoFail: ["CMPL-022", "CMPL-019", "CMPL-025", "CHAT-043", "USG-046"],
    needs: ["strict"],
  }),
  mutant("chat/tool-arguments-broken", "Arguments of tool calls are no JSON", ["XOAI-007"], { needs: ["feature:tools"] }),
  mutant("chat/tool-arguments-object", "Arguments of tool calls are an object", ["XOAI-007"], {
    needs: ["feature:tools"],
    origin: "Ollama's own API",
  }),
  mutant("chat/tool-id-absent", "Tool calls have no id", ["XOAI-007"], {
    needs: ["feature:tools"],
    origin: "llama.cpp before 2025",
  }),
  mutant("chat/same-role-twice-refused", "Two messages of one role in a row are refused", ["MSG-011"], {
    origin: "chat templates of Mistral and Gemma",
  }),
  mutant("chat/assistant-first-refused", "A conversation may not begin with the assistant", ["MSG-011"]),
  mutant("chat/system-later-refused", "A system message may only stand first", ["MSG-011"]),
  mutant("chat/effort-refused-in-streams", "reasoning_effort is refused in streams", ["CHAT-044"]),
];
