import { readdirSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { readSchema, readSchemaText, schemaFolder } from "../../src/schemas/read-schema.ts";
import { createValidator } from "../../src/schemas/validator.ts";

const validator = createValidator();

describe("createValidator", () => {
  it("compiles every file of schemas/wire once", () => {
    expect(validator.names).toContain("chat.request");
    expect(createValidator()).toBe(validator);
    for (const name of validator.names) expect([name, validator.validate(name, null).length]).not.toEqual([name, 0]);
  });

  it("is given schemas that the meta-schema accepts", () => {
    const files = readdirSync(schemaFolder(), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
    const names = files.map((file) => file.slice(0, -".json".length)).filter((name) => /^wire.|schema$/.test(name));
    expect(names.length).toBeGreaterThan(validator.names.length);
    const [ajv, $schema] = [new Ajv2020(), "https://json-schema.org/draft/2020-12/schema"];
    for (const name of names) {
      expect([name, readSchema(name)["$schema"]]).toEqual([name, $schema]);
      expect([name, ajv.validateSchema(readSchema(name)), ajv.errors]).toEqual([name, true, null]);
    }
    expect(ajv.validateSchema({ $schema, type: "sting" })).toBe(false);
  });

  it("accepts a value that matches", () => {
    expect(validator.validate("chat.request", { model: "m", messages: [{ role: "user", content: "hi" }] })).toEqual([]);
  });

  it("reports every problem with its place, keyword and property", () => {
    const problems = validator.validate("chat.request", { messages: "hi", temperature: 3 });
    expect(problems.map(({ pointer, keyword, property }) => [pointer, keyword, property])).toEqual([
      ["", "required", "model"],
      ["/messages", "type", null],
      ["/temperature", "maximum", null],
    ]);
  });

  it("reports the first of many problems alike, and every other", () => {
    const messages = [...Array.from({ length: 9000 }, () => 1), { role: "user" }];
    const problems = validator.validate("chat.request", { messages, temperature: 3 });
    expect(problems.length).toBeLessThan(200);
    const reported = problems.map(({ pointer, keyword, property }) => `${pointer} ${keyword} ${property}`);
    expect(reported).toContain("/messages/0 type null");
    expect(reported).toContain("/messages/9000 required content");
    expect(reported).toContain(" required model");
    expect(reported).toContain("/temperature maximum null");
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
