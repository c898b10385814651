import { describe, expect, it } from "vitest";
import { readSchema } from "../../src/schemas/read-schema.ts";
import { compileSchema } from "../../src/schemas/validator.ts";
import { olderResult } from "../report/older-result.ts";
import { buildSample } from "../make/sample-result/sample-result.ts";

const validate = compileSchema("result.schema");

describe("result.schema.json", () => {
  it("is what the types of src/core say; node scripts/result-schema.mjs writes it anew", async () => {
    const script = new URL("../../scripts/result-schema.mjs", import.meta.url);
    const { buildResultSchema } = (await import(script.href)) as { readonly buildResultSchema: () => unknown };
    expect(readSchema("result.schema")).toEqual(buildResultSchema());
  });

  it("accepts results with and without findings", () => {
    expect(validate(buildSample().result)).toEqual([]);
    expect(validate(buildSample({ clean: true }).result)).toEqual([]);
    expect(validate(olderResult(buildSample().result))).toEqual([]);
    expect(validate({ ...buildSample().result, conformance: null, limits: null, load: null })).toEqual([]);
  });

  it("accepts names of checks, phases and parts that other versions have", () => {
    const text = JSON.stringify(buildSample().result);
    const named = (from: string, to: string): unknown => {
      expect(text).toContain(from);
      return JSON.parse(text.replaceAll(from, to));
    };
    expect(validate(named('"id":"limits.over-admission"', '"id":"u.over"'))).toEqual([]);
    expect(validate(named('"phase":"D"', '"phase":"drain"'))).toEqual([]);
    expect(validate(named('"policy":"account cap"', '"policy":"account"'))).toEqual([]);
  });

  it("refuses what is missing, misspelt or of another kind", () => {
    const { result } = buildSample();
    const { seed: _seed, ...without } = result;
    expect(validate(without)).toMatchObject([{ keyword: "required", property: "seed" }]);
    expect(validate({ ...result, exitcode: 0 })).toMatchObject([{ keyword: "additionalProperties", property: "exitcode" }]);
    expect(validate({ ...result, exitCode: 7 })).toMatchObject([{ pointer: "/exitCode", keyword: "enum" }]);
    expect(validate({ ...result, findings: [{ ...result.findings[0], verdict: "pass" }] })).toMatchObject([
      { pointer: "/findings/0/verdict", keyword: "enum" },
    ]);
  });
});
