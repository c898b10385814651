import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideAnswer } from "../../../src/reference/content/answer.ts";
import { countPromptTokens, countTokens, tokenize } from "../../../src/reference/content/tokenizer.ts";
import { anyCodePoints } from "../../make/hostile/any-code-points.ts";

const text = fc.oneof(fc.string({ unit: "grapheme" }), anyCodePoints(), fc.lorem());

describe("tokenizer", () => {
  it("loses nothing: the tokens joined are the text", () => {
    fc.assert(
      fc.property(text, (sample) => {
        expect(tokenize(sample).join("")).toBe(sample);
      }),
    );
  });

  it("never counts fewer tokens for a longer text", () => {
    fc.assert(
      fc.property(text, text, (one, two) => {
        expect(countTokens(one + two)).toBeGreaterThanOrEqual(Math.max(countTokens(one), countTokens(two)));
      }),
    );
  });

  it("frames messages and the answer", () => {
    expect(countPromptTokens([{ role: "user", content: "Hello world" }])).toBe(3 + 2 + 3);
    expect(countPromptTokens([{ role: "assistant", content: null }])).toBe(6);
  });
});

describe("answer", () => {
  const ask = (content: string, limits: { readonly max_tokens?: number } = {}) =>
    decideAnswer(3, { model: "m", messages: [{ role: "user", content }], ...limits });

  it("is a text whose tokens are those that are billed", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (prompt, limit) => {
        const { tokens, finishReason } = ask(prompt, { max_tokens: limit });
        expect(countTokens(tokens.join(""))).toBe(tokens.length);
        expect(tokens.length).toBeLessThanOrEqual(limit);
        expect(finishReason === "length" ? tokens.length : limit).toBe(limit);
      }),
    );
  });

  it("is the same for the same request and another for another", () => {
    expect(ask("one")).toEqual(ask("one"));
    expect(ask("one")).not.toEqual(ask("two"));
  });

  it("writes as many words as the prompt asks for", () => {
    expect(ask("Write 25 words").tokens).toHaveLength(25);
    expect(ask("Tell a long story").tokens.length).toBeGreaterThan(200);
  });

  it("calls a tool that is named, demanded or hinted at, with arguments that fit its parameters", () => {
    const tools = [
      { type: "function", function: { name: "add", parameters: { type: "object", properties: { a: { type: "integer" } } } } },
    ];
    const call = (extra: object, content: string) =>
      decideAnswer(3, { model: "m", tools, messages: [{ role: "user", content }], ...extra }).toolCalls.map(
        ({ argumentPieces }) => JSON.parse(argumentPieces.join("")) as { a: unknown },
      );
    expect(call({}, "please add these")[0]?.a).toEqual(expect.any(Number));
    expect(call({ tool_choice: "required" }, "hello")).toHaveLength(1);
    expect(call({ tool_choice: "none" }, "please add these")).toHaveLength(0);
    expect(call({}, "hello")).toHaveLength(0);
  });
});
