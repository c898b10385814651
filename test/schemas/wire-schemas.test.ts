import { describe, expect, it } from "vitest";
import { readSchema } from "../../src/schemas/read-schema.ts";
import { createValidator } from "../../src/schemas/validator.ts";

const validator = createValidator();
const responses = validator.names.filter((name) => name.endsWith(".response"));

/** A lawful body for each schema, in its barest form. */
const usage = { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 };
const bare: Readonly<Record<string, unknown>> = {
  "chat-completion.response": {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "stop" }],
    usage,
  },
  "chat-completion-with-tools.response": {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: null }, finish_reason: "tool_calls" }],
    usage,
  },
  "chat-completion-chunk.response": { id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [] },
  "embedding-list-float.response": {
    object: "list",
    data: [{ object: "embedding", index: 0, embedding: [0.5] }],
    model: "m",
    usage: { prompt_tokens: 1, total_tokens: 1 },
  },
  "embedding-list-base64.response": {
    object: "list",
    data: [{ object: "embedding", index: 0, embedding: "AAAAPw==" }],
    model: "m",
    usage: { prompt_tokens: 1, total_tokens: 1 },
  },
  "image-result.response": { created: 1, data: [{ url: "https://example.com/1.png", revised_prompt: "" }] },
  "transcription.response": { text: "" },
  "model-list.response": { object: "list", data: [{ id: "m", object: "model", created: 1, owned_by: "" }] },
  "usage-report.response": { object: "list", data: [], aggregate: { total_tokens: 0, total_cost_usd: 0 } },
  "error.response": { error: { code: "c" } },
  "validation-error.response": { error: { code: "c", details: [] } },
  "rate-limit.response": { error: { code: "c" }, "retry-after": 0 },
  "quota-exceeded.response": { error: "quota_exceeded", retry_after_ms: 0, cap_type: "monthly_spend" },
};

/** Every object of a document with one more member. */
function extend(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(extend);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, extend(member)] as const);
  return { ...Object.fromEntries(members), x_unknown: { nested: [1] } };
}

describe("schemas of responses", () => {
  it("are all looked at here", () => {
    expect(responses).toEqual(Object.keys(bare).sort());
  });

  it.each(responses)("%s accepts the barest lawful body", (name) => {
    expect(validator.validate(name, bare[name])).toEqual([]);
  });

  it.each(responses)("%s stays open: members that nobody described are lawful everywhere (SVC-016)", (name) => {
    expect(validator.validate(name, extend(bare[name]))).toEqual([]);
  });

  it.each(responses)("%s refuses another kind of value, and an object without its members", (name) => {
    for (const value of [null, [], "text", 7, true])
      expect(validator.validate(name, value)).toMatchObject([{ pointer: "", keyword: "type" }]);
    expect(validator.validate(name, {}).map(({ keyword }) => keyword)).toContain("required");
  });

  it.each(responses)("%s says what it describes", (name) => {
    expect(readSchema(`wire/${name}`)["title"]).toMatch(/^[A-Z]/);
  });
});
