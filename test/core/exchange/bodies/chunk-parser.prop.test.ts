import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseBoundedJson } from "../../../../src/core/exchange/bodies/bounded-json.ts";
import { runsOf } from "../../../make/runner/sample.ts";
import { createChunkParser } from "../../../../src/core/exchange/bodies/recorded-json.ts";

const content = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    "",
    " word",
    '"',
    "\\",
    "\u0000",
    "\ud83d\ude00",
    "content",
    '"content":"x"',
    "assay-content",
    "1",
    "é",
    "\u2028",
  ),
);

/** Chunks of one shape, and what makes their shape less plain. */
const chunk = fc
  .record({
    content,
    before: fc.constantFrom({}, { id: "c", created: 1 }, { content: "outside" }, { note: '"content":"x"' }, { __proto__: 1 }),
    inDelta: fc.constantFrom({}, { role: "assistant" }, { tool_calls: [{ content: "y" }] }),
    after: fc.constantFrom({}, { usage: { completion_tokens: 3 } }, { choices: [] }, { delta: { content: " word" } }),
    escaped: fc.boolean(),
    spaced: fc.boolean(),
  })
  .map(({ content: text, before, inDelta, after, escaped, spaced }) => {
    const value = { ...before, choices: [{ index: 0, delta: { ...inDelta, content: text } }], ...after };
    const json = spaced ? JSON.stringify(value, null, 1) : JSON.stringify(value);
    return escaped ? json.replace('"content"', String.raw`"\u0063ontent"`) : json;
  });

const anything = fc.oneof(
  { weight: 5, arbitrary: chunk },
  fc.json(),
  fc.string(),
  fc.constantFrom('{"choices":[{"delta":{"content":"a","content":"b"}}]}'),
);

function plain(text: string): unknown {
  const json = parseBoundedJson(text);
  return json.ok ? json.value : undefined;
}

describe("the chunks of a stream", () => {
  it("have the values that each would have alone, whatever came before", () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 12 }), (texts) => {
        const parse = createChunkParser();
        for (const text of texts) {
          const value = parse(text);
          expect(value).toStrictEqual(plain(text));
          expect(JSON.stringify(value)).toBe(JSON.stringify(plain(text)));
        }
      }),
      { numRuns: runsOf(1000) },
    );
  });

  it("are not parsed one by one where they are alike, and are where they are not", () => {
    const texts = ["a", "b", "c", "d"].map(
      (word) => `{"choices":[{"delta":{"content":"${word}"},"finish_reason":null}],"id":"i"}`,
    );
    const parse = createChunkParser();
    const values = texts.map((text) => parse(text) as { readonly id: string; readonly choices: readonly object[] });
    expect(values.map((value) => JSON.stringify(value))).toEqual(texts);
    expect(new Set(values.map(({ choices }) => choices[0])).size).toBe(4);
  });
});
