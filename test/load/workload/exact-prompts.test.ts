import llama from "llama-tokenizer-js";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { writeBeginning, writeBlocks, writePrompt, writeWords } from "../../../src/load/workload/write-prompt.ts";

const tokensOf = (text: string): number => llama.encode(text, false, true).length;

describe("generated prompts", () => {
  it("have as many tokens as words, by the vocabulary that splits most of them", () => {
    const random = createRandom(7);
    for (let index = 0; index < 300; index += 1) {
      const tokens = 1 + random.integer(0, 400);
      expect(tokensOf(writePrompt(tokens, "", random))).toBe(tokens);
    }
    const prefix = writeWords(20, random);
    expect(tokensOf(writePrompt(64, prefix, random))).toBe(64);
    expect(tokensOf(writeBlocks({ ids: ["1", "2"], tokens: 32 }, 50, { prefix, shared: random }))).toBe(50);
  });

  it("begin differently from each other", () => {
    const random = createRandom(7);
    const beginnings = Array.from({ length: 5000 }, () => writePrompt(40, "", random).split(" ").slice(0, 6).join(" "));
    expect(new Set(beginnings).size).toBe(5000);
    expect(new Set(Array.from({ length: 5000 }, () => writeBeginning("", random))).size).toBe(5000);
  });
});
