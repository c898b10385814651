import { describe, expect, it } from "vitest";
import { readSchema, readSchemaText } from "../../src/schemas/read-schema.ts";
import { createValidator } from "../../src/schemas/validator.ts";

const validator = createValidator();

describe("createValidator", () => {
  it("compiles every file of schemas/wire once", () => {
    expect(validator.names).toContain("chat.request");
    expect(createValidator()).toBe(validator);
  });

  it("accepts a value that matches", () => {
    expect(validator.validate("chat.request", { model: "m", messages: [{ role: "user", content: "hi" }] })).toEqual([]);
  });

  it("tells every problem with its place, keyword and property", () => {
    const problems = validator.validate("chat.request", { messages: "hi", temperature: 3 });
    expect(problems.map(({ pointer, keyword, property }) => [pointer, keyword, property])).toEqual([
      ["", "required", "model"],
      ["/messages", "type", null],
      ["/temperature", "maximum", null],
    ]);
  });

  it("tells the first of many problems alike, and every other", () => {
    const messages = [...Array.from({ length: 9000 }, () => 1), { role: "user" }];
    const problems = validator.validate("chat.request", { messages, temperature: 3 });
    expect(problems.length).toBeLessThan(200);
    const told = problems.map(({ pointer, keyword, property }) => `${pointer} ${keyword} ${property}`);
    expect(told).toContain("/messages/0 type null");
    expect(told).toContain("/messages/9000 required content");
    expect(told).toContain(" required model");
    expect(told).toContain("/temperature maximum null");
  });

  it("refuses an unknown name", () => {
    expect(() => validator.validate("nothing", {})).toThrow(RangeError);
  });
});

describe("readSchema", () => {
  it("reads by the path below schemas", () => {
    expect(readSchema("wire/chat.request")["title"]).toBe("Body of POST /v1/chat/completions");
    expect(() => readSchemaText("wire/nothing")).toThrow(/ENOENT/);
  });
});
