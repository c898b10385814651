import { describe, expect, it } from "vitest";
import { writeJson } from "../../../suites/generated/write-json.ts";

const value = {
  model: "m",
  temperature: 0.7,
  top_p: 1,
  max_tokens: 16,
  messages: [{ role: "user", content: 'A "colour"\\\r\n, 🚀 and "temperature":2' }],
};

describe("writeJson", () => {
  it.each(["usual", "spaced", "members-reversed", "escaped", "exponents"] as const)("says the same when it is %s", (notation) => {
    expect(JSON.parse(writeJson(value, notation))).toEqual(value);
  });

  it("writes as it says", () => {
    expect(writeJson({ a: 1 }, "spaced")).toBe('\r\n\t {\n\t"a": 1\n}\n ');
    expect(writeJson({ a: 1, b: { c: 2, d: 3 } }, "members-reversed")).toBe('{"b":{"d":3,"c":2},"a":1}');
    expect(writeJson({ a: 'b"' }, "escaped")).toBe('{"\\u0061":"\\u0062\\u0022"}');
    expect(writeJson({ temperature: 0.7, top_p: 1, max_tokens: 16 }, "exponents")).toBe(
      '{"temperature":7e-1,"top_p":1e+0,"max_tokens":16}',
    );
  });
});
